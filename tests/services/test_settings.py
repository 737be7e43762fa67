"""What settings say beyond their fields."""

from services.settings import Settings


def test_the_deterministic_mode_waits_for_a_busy_machine() -> None:
    assert Settings(model_deadline_s=30).call_deadline_s == 30
    assert Settings(model_deadline_s=30, deterministic=True).call_deadline_s == 300
