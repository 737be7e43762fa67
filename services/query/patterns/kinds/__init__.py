"""How each language puts each type of question."""
