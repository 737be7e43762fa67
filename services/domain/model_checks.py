"""What trials of the models showed."""

from services.domain.notices import Notice
from services.domain.value import Value


class ModelCheck(Value):
    """What a trial of the language model showed.

    ``first_token_s`` counts from the request to the first text, ``tokens_per_s`` after that; both
    are None where nothing came. ``keeps_form`` tells whether it answered in a given JSON schema.
    ``problem`` says in words what is wrong and the way out, None where all is well.
    """

    model: str
    context_tokens: int | None = None
    prompt_tokens_per_s: float | None = None
    first_token_s: float | None = None
    tokens_per_s: float | None = None
    keeps_form: bool = False
    problem: Notice | None = None


class EmbedderCheck(Value):
    """What a trial of the embedding model showed; ``max_tokens`` of a passage are seen whole.

    ``foreign`` names readable collections that another embedding model indexed.
    """

    fingerprint: str
    dimension: int
    max_tokens: int
    query_ms: float
    foreign: tuple[str, ...] = ()
