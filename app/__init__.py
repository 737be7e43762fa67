"""Front ends; no logic of their own."""
