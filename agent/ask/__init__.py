"""Quick answers: one question of a conversation, understood, routed and answered in seconds."""
