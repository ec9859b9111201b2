"""Settings: where values come from, and what is refused."""

from __future__ import annotations

import pathlib

import pytest

from pipeline.errors import UsageError
from pipeline.settings import Settings, build_time, load_settings


def test_defaults_stand_alone() -> None:
    found = load_settings({}, environ={})
    assert found.settings == Settings()
    assert set(found.origins.values()) == {"default"}


def test_flags_win_over_environment_over_file(tmp_path: pathlib.Path) -> None:
    config = tmp_path / "abstracts.toml"
    config.write_text('output = "from-file"\nworkers = 3\nmemory_mb = 64\n')
    environ = {"ABSTRACTS_OUTPUT": "from-environment", "ABSTRACTS_WORKERS": "2", "HOME": "/"}
    found = load_settings({"output": "from-flag", "workers": None}, config, environ)
    assert (found.settings.output, found.settings.workers, found.settings.memory_mb) == ("from-flag", 2, 64)
    assert found.origins["output"] == "flag"
    assert found.origins["workers"] == "ABSTRACTS_WORKERS"
    assert found.origins["memory_mb"] == str(config)
    assert found.origins["server_timeout"] == "default"


def test_unknown_key_gets_a_suggestion(tmp_path: pathlib.Path) -> None:
    config = tmp_path / "abstracts.toml"
    config.write_text("max_quarantin = 0.1\n")
    with pytest.raises(UsageError, match=r"max_quarantin.*abstracts\.toml") as caught:
        load_settings({}, config, {})
    assert "Did you mean 'max_quarantine'?" in caught.value.do
    with pytest.raises(UsageError, match="ABSTRACTS_WORKER"):
        load_settings({}, environ={"ABSTRACTS_WORKER": "1"})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("workers", "many"), ("workers", -1), ("workers", True), ("workers", 1.5), ("max_quarantine", 1.2),
        ("max_quarantine", "nan"), ("shard_rows", 0), ("output", 5), ("inputs", 5), ("mapping", "x"),
    ],
)  # fmt: skip
def test_values_that_make_no_sense_are_refused(key: str, value: object) -> None:
    with pytest.raises(UsageError, match=key) as caught:
        load_settings({key: value}, environ={})
    assert caught.value.exit_code == 2


def test_broken_file_is_named(tmp_path: pathlib.Path) -> None:
    config = tmp_path / "abstracts.toml"
    config.write_text("output = \n")
    with pytest.raises(UsageError, match=r"not valid TOML.*line 1"):
        load_settings({}, config, {})
    with pytest.raises(UsageError, match="cannot be read"):
        load_settings({}, tmp_path / "none.toml", {})


def test_source_date_epoch_sets_the_build_date() -> None:
    assert build_time({"SOURCE_DATE_EPOCH": "86400"}).isoformat() == "1970-01-02T00:00:00+00:00"
    with pytest.raises(UsageError, match="SOURCE_DATE_EPOCH"):
        build_time({"SOURCE_DATE_EPOCH": "yesterday"})
