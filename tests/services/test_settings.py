"""What settings say beyond their fields."""

from pathlib import Path

from platformdirs import user_data_path

from services.settings import Settings, default_home


def test_the_deterministic_mode_waits_for_a_busy_machine() -> None:
    assert Settings(model_deadline_s=30).call_deadline_s == 30
    assert Settings(model_deadline_s=30, deterministic=True).call_deadline_s == 300


def test_a_working_copy_keeps_its_data_and_an_installation_does_not(tmp_path: Path) -> None:
    (tmp_path / "kb").mkdir()  # the samples are packaged
    assert default_home(tmp_path) == user_data_path("rabbithole")
    assert not (tmp_path / "kb" / "database").exists()
    (tmp_path / "pyproject.toml").touch()
    assert default_home(tmp_path) == tmp_path / "kb" / "database"
