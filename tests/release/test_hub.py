"""Publishing to the Hugging Face hub, against a local stand-in for the few calls of its API that are used."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.support.parts import make_rows, release

pytestmark = pytest.mark.slow
NAME = "lab/abstracts"


class Hub:
    """A dataset repository in memory. Parquet and CSV files go through large file storage, the rest into commits."""

    def __init__(self) -> None:
        self.exists = False
        self.files: dict[str, tuple[str, bytes]] = {}
        self.objects: dict[str, bytes] = {}
        self.commits: list[list[str]] = []
        self.damage = False

    def get(self, path: str) -> Any:
        if not self.exists:
            return None
        if "/tree/" in path:
            return [self._entry(*item) for item in sorted(self.files.items())]
        return {"id": NAME, "_id": "1", "sha": "0" * 40, "private": False, "tags": [], "siblings": []}

    @staticmethod
    def _entry(path: str, stored: tuple[str, bytes]) -> dict[str, Any]:
        kind, content = stored
        entry: dict[str, Any] = {"type": "file", "path": path, "size": len(content)}
        entry["oid"] = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
        if kind == "lfs":
            entry["lfs"] = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 130}
        return entry

    def post(self, path: str, body: bytes, base: str) -> Any:
        if path.endswith("/repos/create"):
            self.exists = True
            return {"url": f"{base}/datasets/{NAME}", "name": NAME}
        if "/preupload/" in path:
            return {"files": [{"path": f["path"], "uploadMode": self._mode(f["path"]), "shouldIgnore": False} for f in json.loads(body)["files"]]}
        if path.endswith("/info/lfs/objects/batch"):
            return {"transfer": "basic", "objects": [self._offer(o, base) for o in json.loads(body)["objects"]]}
        if "/commit/" in path:
            self._commit([json.loads(line) for line in body.splitlines()])
            return {"commitUrl": f"{base}/datasets/{NAME}/commit/1", "commitOid": "1" * 40, "hookOutput": ""}
        return {}

    @staticmethod
    def _mode(path: str) -> str:
        return "lfs" if path.endswith((".parquet", ".csv")) else "regular"

    @staticmethod
    def _offer(wanted: dict[str, Any], base: str) -> dict[str, Any]:
        return {**wanted, "actions": {"upload": {"href": f"{base}/store/{wanted['oid']}"}}}

    def _commit(self, lines: list[dict[str, Any]]) -> None:
        done = []
        for line in lines:
            value = line["value"]
            if line["key"] == "file":
                content = base64.b64decode(value["content"])
                self.files[value["path"]] = ("regular", content + b"!" if self.damage else content)
            elif line["key"] == "lfsFile":
                self.files[value["path"]] = ("lfs", self.objects[value["oid"]])
            elif line["key"] == "deletedFile":
                del self.files[value["path"]]
            done += [value["path"]] if "path" in value else []
        self.commits.append(done)


@pytest.fixture
def hub() -> Iterator[tuple[Hub, str]]:
    state = Hub()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self, value: Any) -> None:
            body = json.dumps({"error": "Repository not found"} if value is None else value).encode()
            self.send_response(404 if value is None else 200)
            if value is None:
                self.send_header("X-Error-Code", "RepoNotFound")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def body(self) -> bytes:
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))

        def do_GET(self) -> None:
            self.answer(state.get(self.path))

        def do_POST(self) -> None:
            self.answer(state.post(self.path, self.body(), f"http://{self.headers['Host']}"))

        def do_PUT(self) -> None:
            state.objects[self.path.rsplit("/", 1)[-1]] = self.body()
            self.answer({"ok": True})

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield state, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def publish(endpoint: str, folder: Path, home: Path, *, dry_run: bool = False) -> subprocess.CompletedProcess[str]:
    """The library reads its address when it is imported, so each call gets a process of its own."""
    code = (
        "import sys; from pathlib import Path; from pipeline.load.remote import publish_to\n"
        f"print(publish_to(Path(sys.argv[1]), 'hf://datasets/{NAME}', dry_run={dry_run}))"
    )
    settings = {"HF_ENDPOINT": endpoint, "HF_HUB_DISABLE_XET": "1", "HF_HOME": str(home), "HF_TOKEN": "hf_test", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
    clean = {key: value for key, value in os.environ.items() if "proxy" not in key.lower() and key != "HF_HUB_OFFLINE"}
    return subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, env=clean | settings)


def test_one_commit_with_every_file_verified(hub: tuple[Hub, str], tmp_path: Path) -> None:
    state, endpoint = hub
    first = release(make_rows(5), tmp_path / "out", tmp_path / "1")
    plan = publish(endpoint, first, tmp_path / "hf", dry_run=True)
    assert "Would transfer" in plan.stdout, plan.stderr
    assert not state.exists
    done = publish(endpoint, first, tmp_path / "hf")
    assert "Transferred and verified" in done.stdout, done.stderr
    here = {path.relative_to(first).as_posix(): path.read_bytes() for path in first.rglob("*") if path.is_file()}
    assert {path: content for path, (_, content) in state.files.items()} == here
    assert len(state.commits) == 1

    state.files["data/urls/train-00001-of-00002.parquet"] = ("lfs", b"left over")
    second = release(make_rows(6), tmp_path / "out", tmp_path / "2")
    assert "Transferred and verified" in publish(endpoint, second, tmp_path / "hf").stdout
    here = {path.relative_to(second).as_posix(): path.read_bytes() for path in second.rglob("*") if path.is_file()}
    assert {path: content for path, (_, content) in state.files.items()} == here
    assert "schema.json" not in state.commits[1], "what did not change is not sent again"


def test_damage_on_the_way_is_found(hub: tuple[Hub, str], tmp_path: Path) -> None:
    state, endpoint = hub
    state.damage = True
    made = release(make_rows(3), tmp_path / "out", tmp_path / "1")
    done = publish(endpoint, made, tmp_path / "hf")
    assert done.returncode != 0
    assert "arrived with other bytes" in done.stderr
