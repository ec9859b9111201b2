"""One frozen settings object: defaults, then `abstracts.toml`, then the environment, then flags.

Nobody else reads the environment. Unknown keys are errors with a suggestion.
"""

from __future__ import annotations

import difflib
import os
import time
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path

from pipeline.errors import UsageError

CONFIG_NAME = "abstracts.toml"
PREFIX = "ABSTRACTS_"


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that decides what a run does. Times in seconds, sizes as named."""

    inputs: tuple[str, ...] = field(default=("seeds",), metadata={"help": "files and folders to read"})
    output: str = field(default="outputs", metadata={"help": "folder of the releases"})
    workers: int = field(default=0, metadata={"help": "processes; 0 means one per core"})
    max_quarantine: float = field(default=0.05, metadata={"help": "share of quarantined records above which nothing is published"})
    max_unaccounted: float = field(default=0.001, metadata={"help": "share of texts that may lose words without a known reason"})
    shard_rows: int = field(default=10_000, metadata={"help": "records per work shard; changes no result"})
    memory_mb: int = field(default=512, metadata={"help": "memory that the global steps may use"})
    keep_releases: int = field(default=0, metadata={"help": "releases to keep; 0 keeps all"})
    accept_change: str = field(default="", metadata={"help": "reason to publish although the drift gate objects"})
    drift_bands: Mapping[str, float] = field(default_factory=dict, metadata={"help": "allowed change per figure of the drift gate"})
    only_licences: tuple[str, ...] = field(default=(), metadata={"help": "publish only records under these licences"})
    takedowns: str = field(default="", metadata={"help": "TOML file with ids, DOIs and hashes to keep out"})
    corrections: str = field(default="", metadata={"help": "TOML file with corrections to the data"})
    mapping: Mapping[str, Mapping[str, str]] = field(default_factory=dict, metadata={"help": "field mapping per file pattern"})
    macros: Mapping[str, str] = field(default_factory=dict, metadata={"help": "meaning of TeX macros of your own"})
    max_record_bytes: int = field(default=16_000_000, metadata={"help": "largest record that is read"})
    server_timeout: int = field(default=180, metadata={"help": "seconds to wait for Prefect's own server to start"})
    scheduler: str = field(default="", metadata={"help": "address of a Dask scheduler to run the stages on"})


@dataclass(frozen=True, slots=True)
class Effective:
    """Settings with the origin of each value: `default`, a file, an environment variable, or a flag."""

    settings: Settings
    origins: Mapping[str, str]


def load_settings(flags: Mapping[str, object], config: Path | None = None, environ: Mapping[str, str] | None = None) -> Effective:
    """Merge all sources.

    `flags` holds the options given on the command line (None: not given); `config` a TOML file (default:
    `abstracts.toml` in the current folder if there is one). Raises UsageError for unknown keys and wrong types.
    """
    values: dict[str, object] = {}
    origins: dict[str, str] = {f.name: "default" for f in fields(Settings)}
    environ = os.environ if environ is None else environ
    for origin, given in (_from_file(config), _from_environment(environ), ("flag", flags)):
        for key, value in given.items():
            if value is None:
                continue
            values[key] = _convert(key, value, origin)
            origins[key] = f"{PREFIX}{key.upper()}" if origin == "environment" else origin
    return Effective(Settings(**values), origins)  # type: ignore[arg-type]


def _from_file(config: Path | None) -> tuple[str, dict[str, object]]:
    path = config or Path(CONFIG_NAME)
    if config is None and not path.is_file():
        return str(path), {}
    try:
        with path.open("rb") as file:
            given = tomllib.load(file)
    except OSError as error:
        raise UsageError(f"The settings file {path} cannot be read: {error.strerror}.", "Check the path given with --config.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"The settings file {path} is not valid TOML: {error}.", "Mend the line it names.") from None
    for key in given:
        _known(key, str(path))
    return str(path), given


def _from_environment(environ: Mapping[str, str]) -> tuple[str, dict[str, object]]:
    given: dict[str, object] = {}
    for name in sorted(environ):
        if name.startswith(PREFIX):
            key = name.removeprefix(PREFIX).lower()
            _known(key, f"the environment ({name})")
            given[key] = environ[name]
    return "environment", given


def _known(key: str, where: str) -> None:
    names = [f.name for f in fields(Settings)]
    if key in names:
        return
    close = difflib.get_close_matches(key, names, n=1)
    hint = f"Did you mean {close[0]!r}?" if close else f"Known settings: {', '.join(names)}."
    raise UsageError(f"Unknown setting {key!r} in {where}.", hint)


def _convert(key: str, value: object, origin: str) -> object:
    default = getattr(Settings(), key)
    try:
        if isinstance(default, tuple):
            items = value.split(os.pathsep if key == "inputs" else ",") if isinstance(value, str) else value
            if not isinstance(items, list | tuple) or not all(isinstance(i, str) for i in items):
                raise ValueError("wants a list of strings")
            return tuple(items)
        if isinstance(default, dict):
            return _table(value)
        if isinstance(default, str):
            if not isinstance(value, str):
                raise ValueError("wants a string")
            return value
        return _number(key, value, type(default))
    except ValueError as error:
        raise UsageError(f"Setting {key!r} ({origin}) is {value!r}: {error}.", "Run `abstracts config` to see all settings and their values.") from None


def _table(value: object) -> object:
    if not isinstance(value, dict):
        raise ValueError("wants a TOML table")
    return value


def _number(key: str, value: object, kind: type) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("wants a number")
    try:
        number = kind(value)
    except ValueError:
        raise ValueError(f"wants {'a whole number' if kind is int else 'a number'}") from None
    if number != number or number < 0 or (isinstance(value, float) and kind is int and number != value):
        raise ValueError("wants a number that is not negative" if number < 0 else "wants a whole number")
    if key in ("max_quarantine", "max_unaccounted") and number > 1:
        raise ValueError("is a share, at most 1")
    if key in ("shard_rows", "memory_mb", "max_record_bytes") and number < 1:
        raise ValueError("must be at least 1")
    return number


def build_time(environ: Mapping[str, str] | None = None) -> datetime:
    """Build date in UTC: SOURCE_DATE_EPOCH if set (reproducible-builds.org), else now."""
    text = (os.environ if environ is None else environ).get("SOURCE_DATE_EPOCH", "")
    try:
        return datetime.fromtimestamp(int(text) if text else time.time(), UTC)
    except (ValueError, OverflowError, OSError):
        raise UsageError(f"SOURCE_DATE_EPOCH is {text!r}.", "Set it to seconds since 1970, or unset it.") from None


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
