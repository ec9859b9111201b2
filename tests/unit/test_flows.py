"""The flow `refresh` on a server of Prefect's own: the same release as a direct run, and states that say what happened."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterator

import pytest

os.environ.update(
    DO_NOT_TRACK="1", PREFECT_SERVER_ANALYTICS_ENABLED="false", PREFECT_LOGGING_TO_API_ENABLED="false", PREFECT_LOGGING_LEVEL="WARNING"
)

TEXT = (
    "We propose FooNet, a network for parsing. It reaches 93.5% accuracy on CIFAR-10, 2.1 points above the baseline. "
    "Code is available at https://github.com/foo/foonet and the rest of this sentence makes the abstract long enough.\n"
)
pytestmark = [pytest.mark.server, pytest.mark.slow]


@pytest.fixture(scope="module")
def server() -> Iterator[None]:
    from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings
    from prefect.testing.utilities import prefect_test_harness

    with prefect_test_harness(server_startup_timeout=180), temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
        yield


@pytest.fixture
def source(tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text(TEXT, "utf-8")
    return folder


@pytest.mark.usefixtures("server")
def test_flow_releases_then_finds_nothing_new(source: pathlib.Path, tmp_path: pathlib.Path) -> None:
    from pipeline.engines import LocalProcesses
    from pipeline.flows import refresh, refresh_once
    from pipeline.progress import Progress
    from pipeline.run import run_pipeline
    from pipeline.settings import Settings

    settings = Settings(inputs=(str(source),), output=str(tmp_path / "out"), workers=1)
    result = refresh_once(settings, Progress(None))
    assert result.outcome == "released"
    with LocalProcesses(1) as engine:
        direct = run_pipeline(Settings(inputs=(str(source),), output=str(tmp_path / "direct"), workers=1), engine, Progress(None))
    assert direct.version == result.version
    state = refresh({"inputs": [str(source)], "output": str(tmp_path / "out"), "workers": 1}, return_state=True)
    assert (state.name, state.type.value) == ("Unchanged", "COMPLETED")


@pytest.mark.usefixtures("server")
def test_flow_says_when_it_failed(tmp_path: pathlib.Path) -> None:
    from pipeline.errors import NothingUsableError
    from pipeline.flows import refresh, refresh_once
    from pipeline.progress import Progress
    from pipeline.settings import Settings

    (tmp_path / "empty").mkdir()
    settings = Settings(inputs=(str(tmp_path / "empty"),), output=str(tmp_path / "out"), workers=1)
    with pytest.raises(NothingUsableError):
        refresh_once(settings, Progress(None))
    state = refresh({"inputs": [str(tmp_path / "empty")], "output": str(tmp_path / "out")}, return_state=True)
    assert (state.name, state.type.value) == ("Failed", "FAILED")
    assert "No input files" in str(state.message)


@pytest.mark.usefixtures("server")
def test_an_internal_error_is_told_in_words(
    source: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """No traceback from Prefect's console, whatever a stage raises."""
    from pipeline import cli, stages

    def fail(job: object) -> None:  # noqa: ARG001
        raise KeyError("inner")

    monkeypatch.setattr(stages, "part_of_shard", fail)
    assert cli.main(["run", str(source), "--output", str(tmp_path / "out"), "--quiet"]) == 6
    told = capfd.readouterr().err
    assert "abstracts: Internal error: KeyError: 'inner'" in told
    assert "Traceback" not in told
    assert "ERROR" not in told
