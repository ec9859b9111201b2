"""Publishing to an S3-compatible store, against a local server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.errors import OutputError
from pipeline.load.remote import publish_to
from pipeline.load.validate import validate_release
from tests.support.parts import make_rows, release

pytest.importorskip("s3fs")
server_of = pytest.importorskip("moto.server")


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An empty bucket; credentials and address are found where S3 clients look for them."""
    import s3fs

    server = server_of.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
    }.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    s3fs.S3FileSystem().mkdir("bucket")
    yield "s3://bucket/mirror"
    s3fs.S3FileSystem.clear_instance_cache()
    server.stop()


@pytest.mark.slow
def test_data_first_pointer_last_and_verified(store: str, tmp_path: Path) -> None:
    import s3fs

    made = release(make_rows(5), tmp_path / "out", tmp_path / "1")
    sent = publish_to(made, store, dry_run=False)
    assert [t.action for t in sent.transfers] == ["upload"] * (len(sent.transfers) - 1) + ["point"]
    assert validate_release(f"{store}/releases/{made.name}") == []
    assert validate_release(store) == []
    system = s3fs.S3FileSystem()
    assert json.loads(system.cat("bucket/mirror/current.json"))["version"] == made.name

    system.rm(f"bucket/mirror/releases/{made.name}/csv/urls.csv")
    assert any("csv/urls.csv" in fault for fault in validate_release(store))
    again = publish_to(made, store, dry_run=False)
    assert [t.path.split("/")[-1] for t in again.transfers if t.action == "upload"] == ["urls.csv"]
    with pytest.raises(OutputError, match="could not be written"):
        publish_to(made, "s3://no-such-bucket/x", dry_run=False)
