"""The package: built twice the same bytes, with what it should hold and nothing else; dependencies few and free."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

#: Words of which the licence of every package that a user installs has at least one.
FREE = ("MIT", "BSD", "Apache", "ISC", "Python", "PSF", "MPL", "Mozilla", "Unlicense", "Zlib", "CC0", "0BSD", "Public Domain", "Artistic")
MISSING = "the build tools of the group `build` are not installed"


def build(root: Path, home: Path, umask: int, zone: str) -> Path:
    """Wheel and sdist out of a copy of what Git has, in other surroundings each time."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True).stdout.decode().split("\0")
    for name in filter(None, listed):
        if (root / name).is_file():
            (home / "checkout" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / name, home / "checkout" / name)
    environment = os.environ | {"SOURCE_DATE_EPOCH": "1764547200", "TZ": zone, "PYTHONHASHSEED": str(umask)}
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(home / "dist")]
    subprocess.run(command, cwd=home / "checkout", env=environment, check=True, capture_output=True, umask=umask)
    return home / "dist"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, root: Path) -> tuple[Path, Path]:
    pytest.importorskip("hatchling", reason=MISSING)
    if not (root / ".git").exists():
        pytest.skip("this is no checkout")
    home = tmp_path_factory.mktemp("package")
    (home / "a/deeper").mkdir(parents=True)
    (home / "b").mkdir()
    return build(root, home / "a/deeper", 0o022, "UTC"), build(root, home / "b", 0o077, "Asia/Tokyo")


def test_wheel_and_sdist_are_reproducible(built: tuple[Path, Path]) -> None:
    one, two = ({path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()} for folder in built)
    assert len(one) == 2
    assert one == two


def test_the_wheel_holds_the_program_and_its_data(built: tuple[Path, Path], root: Path) -> None:
    (wheel,) = built[0].glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    listed = subprocess.run(["git", "ls-files", "pipeline", "schemas"], cwd=root, capture_output=True, text=True, check=True).stdout.split()
    program = {name for name in listed if (root / name).is_file()}
    assert {name for name in names if ".dist-info/" not in name} == program
    assert {name.split(".dist-info/")[1] for name in names if ".dist-info/" in name} == {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}


def test_the_sdist_holds_what_the_tests_need_and_no_output(built: tuple[Path, Path]) -> None:
    (sdist,) = built[0].glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "Makefile", "requirements.lock", "requirements-dev.lock", "tests/conftest.py"} <= names
    assert {name.split("/")[1] for name in names if name.startswith("outputs/")} == {"README.md"}
    assert not [name for name in names if re.search(r"(^|/)(\.venv|\.git|__pycache__|node_modules|\.env)(/|$)|\.pyc$|\.pem$|secret", name)]


def locked(root: Path) -> dict[str, str]:
    """Names and versions in the lock file of what users install."""
    text = (root / "requirements.lock").read_text("utf-8")
    return dict(re.findall(r"^([\w.-]+)==([^\s;\\]+)", text, re.MULTILINE))


def test_every_locked_package_has_hashes(root: Path) -> None:
    for name in ("requirements.lock", "requirements-dev.lock"):
        entries = re.split(r"\n(?=[\w.-]+(?:\[[^\]]*\])?==)", (root / name).read_text("utf-8"))
        assert [entry.split()[0] for entry in entries if "==" in entry and "--hash=sha256:" not in entry] == []


def licence_of(name: str) -> str:
    about = importlib.metadata.metadata(name)
    told = [about.get("License-Expression") or "", about.get("License") or "", *(c for c in about.get_all("Classifier") or () if c.startswith("License"))]
    return " ".join(filter(None, told))


def test_every_dependency_is_free_software(root: Path) -> None:
    unknown = []
    for name in locked(root):
        try:
            told = licence_of(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # Of another platform or Python.
        if not any(word in told for word in FREE):
            unknown.append(f"{name}: {told[:60]!r}")
    assert unknown == []


def test_the_direct_dependencies_are_listed_with_their_licences(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    page = (root / "docs/supply_chain.md").read_text("utf-8")
    listed = re.findall(r"^\| ([\w-]+) \| [^|]*(?:MIT|BSD|Apache)", page, re.MULTILINE)
    assert sorted(listed) == sorted(re.split(r"[>=<\[;]", entry)[0] for entry in project["dependencies"])
