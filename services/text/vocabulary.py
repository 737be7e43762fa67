"""Where the package's modules take `word_set` from."""

from services.vocabulary import word_set as word_set
