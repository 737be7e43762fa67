"""Pages of kept PDF files as images, with a quote marked where it stands."""
