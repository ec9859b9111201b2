"""The command `abstracts`: reads the arguments, calls the library, says what happened.

Imports what a command needs only when it runs: `--help` and the filters load neither Prefect nor Pandera
unless they must.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import NoReturn

from pipeline.errors import PipelineError, show_unseen

EXIT_CODES = """\
exit codes: 0 published, or unchanged; 1 too many records quarantined, or a line could not be read;
2 usage or settings; 3 another run holds the output; 4 nothing usable; 5 refused by validation or by the
drift gate; 6 input/output or internal error; 130, 143 interrupted, terminated"""


class _Parser(argparse.ArgumentParser):
    """Says what was probably meant where a command or an option is not known."""

    def error(self, message: str) -> NoReturn:
        choice = re.match(r"argument COMMAND: invalid choice: '(.*?)' \(choose from (.*)\)", message, re.DOTALL)
        if choice:
            message = f"there is no command {choice[1]!r}{_meant(choice[1], re.findall(r'[a-z]+', choice[2])) or f'; see {self.prog} --help'}"
        super().error(message)

    def refuse_unknown(self, words: Sequence[str]) -> NoReturn:
        """End with exit code 2 for words that no option took."""
        options = [option for option in self._option_string_actions if option.startswith("--")]
        word = next((word for word in words if word.startswith("-")), words[0])
        hint = _meant(word.split("=")[0], options) if word.startswith("-") else ""
        self.error(f"unknown {'option' if word.startswith('-') else 'argument'} {word!r}{hint or f'; see {self.prog} --help'}")


def _meant(word: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    return f"; did you mean {close[0]}?" if close else ""


def build_parser() -> argparse.ArgumentParser:
    """All commands and options, with the help that people read."""
    parser = _Parser(
        prog="abstracts",
        description="Raw files of scientific abstracts in, a curated, validated, published dataset out.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_run_commands(commands)
    _add_release_commands(commands)
    _add_filters(commands)
    return parser


def _version() -> str:
    from pipeline import __version__

    return f"abstracts {__version__}"


Commands = "argparse._SubParsersAction[argparse.ArgumentParser]"


def _command(commands: Commands, name: str, module: str, text: str) -> argparse.ArgumentParser:  # type: ignore[valid-type]
    parser: argparse.ArgumentParser = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", epilog=EXIT_CODES, formatter_class=argparse.RawDescriptionHelpFormatter)  # type: ignore[attr-defined]
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    parser.set_defaults(module=module, handler=name, parser=parser)
    return parser


def _settings_options(parser: argparse.ArgumentParser, *, inputs: bool = True) -> None:
    if inputs:
        parser.add_argument("inputs", nargs="*", metavar="INPUT", help="files and folders to read (default: seeds)")
    parser.add_argument("--output", metavar="FOLDER", help="folder of the releases (default: outputs)")
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings file (default: abstracts.toml, if there is one)")


def _run_options(parser: argparse.ArgumentParser) -> None:
    _settings_options(parser)
    parser.add_argument("--workers", metavar="N", help="processes (default: one per core); changes no result")
    parser.add_argument("--max-quarantine", metavar="SHARE", help="publish nothing if more records, and more than 20, are quarantined (default: 0.05)")
    parser.add_argument("--accept-change", metavar="REASON", help="publish although the drift gate objects, and note why")
    parser.add_argument("--only-licences", metavar="LIST", help="publish only records under these licences, separated by commas")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="run the stages on this Dask scheduler, e.g. tcp://host:8786")


def _add_run_commands(commands: Commands) -> None:  # type: ignore[valid-type]
    run = _command(commands, "run", "commands", "read the inputs and publish a release")
    _run_options(run)
    run.add_argument("--direct", action="store_true", help="without Prefect")
    run.add_argument("--quiet", action="store_true", help="say nothing unless something is wrong")
    run.add_argument("--json", action="store_true", help="print the result as JSON, progress as JSON Lines on standard error")
    serve = _command(commands, "serve", "commands", "publish again and again: on a schedule, or when files change")
    _run_options(serve)
    when = serve.add_mutually_exclusive_group(required=True)
    when.add_argument("--cron", metavar="CRON", help='schedule, e.g. "0 3 * * *" (UTC)')
    when.add_argument("--interval", type=int, metavar="SECONDS", help="run every so many seconds")
    when.add_argument("--watch", type=int, metavar="SECONDS", help="look this often for changed files, and run when there are any")
    plan = _command(commands, "plan", "commands", "show what a run would do, and why")
    _run_options(plan)
    plan.add_argument("--json", action="store_true", help="as JSON")
    config = _command(commands, "config", "commands", "show the effective settings and where each comes from")
    _run_options(config)
    config.add_argument("--json", action="store_true", help="as JSON")
    inspect = _command(commands, "inspect", "commands", "show what a file is taken for, and what would be read from it")
    inspect.add_argument("files", nargs="+", metavar="FILE")
    inspect.add_argument("--config", type=Path, metavar="FILE", help="settings file")


def _add_release_commands(commands: Commands) -> None:  # type: ignore[valid-type]
    releases = _command(commands, "releases", "commands_release", "list the releases")
    _settings_options(releases, inputs=False)
    use = _command(commands, "use", "commands_release", "make another release the current one")
    use.add_argument("version", metavar="VERSION")
    _settings_options(use, inputs=False)
    diff = _command(commands, "diff", "commands_release", "compare two releases")
    diff.add_argument("old", metavar="A", help="a version or a folder")
    diff.add_argument("new", metavar="B", help="a version or a folder")
    diff.add_argument("--json", action="store_true", help="as JSON")
    _settings_options(diff, inputs=False)
    validate = _command(commands, "validate", "commands_release", "check a release, also a copy from elsewhere")
    validate.add_argument("release", metavar="PATH_OR_URL", nargs="?", help="default: the current release")
    _settings_options(validate, inputs=False)
    publish = _command(commands, "publish", "commands_release", "copy a release to a folder, an object store or the Hugging Face hub; only shows what would go unless --execute is given")
    publish.add_argument("--to", required=True, metavar="TARGET", help="folder, URL, or hf://datasets/OWNER/NAME")
    publish.add_argument("--release", metavar="VERSION", help="default: the current release")
    publish.add_argument("--execute", action="store_true", help="do it; without this only print what would go")
    _settings_options(publish, inputs=False)
    score = _command(commands, "score", "commands_release", "precision, recall and F1 of a release against gold annotations")
    score.add_argument("release", metavar="RELEASE")
    score.add_argument("gold", metavar="GOLD")
    score.add_argument("--show", type=int, default=0, metavar="N", help="print up to N misses and extras per field")
    score.add_argument("--json", action="store_true", help="as JSON")
    explain = _command(commands, "explain", "commands_release", "show an abstract with its mentions, why each was found, and its duplicates")
    explain.add_argument("id", metavar="ID", help="abstract_id, or its first digits")
    explain.add_argument("--release", metavar="VERSION", help="default: the current release")
    explain.add_argument("--html", action="store_true", help="as a page")
    _settings_options(explain, inputs=False)


def _add_filters(commands: Commands) -> None:  # type: ignore[valid-type]
    extract = _command(commands, "extract", "filters", "print the records of files as JSON Lines")
    extract.add_argument("inputs", nargs="+", metavar="INPUT")
    extract.add_argument("--config", type=Path, metavar="FILE", help="settings file")
    for name, text in (
        ("clean", 'JSON Lines {"id","raw_text"} in, {"id","text","flags","map"} out'),
        ("dedupe", 'JSON Lines {"id","text",…} in, {"id","cluster","relation","similarity","variant_of"} out'),
        ("enrich", 'JSON Lines {"id","text"} in, {"id","methods","datasets","metrics","urls"} out'),
    ):
        _command(commands, name, "filters", text)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command. Returns its exit code; an error is told in words, with a traceback only under --debug."""
    arguments, unknown = build_parser().parse_known_args(argv)
    if unknown:
        arguments.parser.refuse_unknown(unknown)
    signal.signal(signal.SIGTERM, _terminate)
    try:
        handler = getattr(import_module(f"pipeline.{arguments.module}"), arguments.handler)
        return int(handler(arguments))
    except PipelineError as error:
        if arguments.debug:
            raise
        return _complain(arguments, error)
    except SystemExit as end:
        if end.code == 128 + signal.SIGTERM:
            print("\nabstracts: terminated. The current release is untouched; run again to go on.", file=sys.stderr)
        raise
    except KeyboardInterrupt:
        print("\nabstracts: interrupted. The current release is untouched; run again to go on.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Whoever read our output has seen enough (`abstracts run | head`); what the command did stands.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if arguments.debug:
            raise
        return _complain(arguments, _internal(error))


def _terminate(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001
    raise SystemExit(128 + number)


def _internal(error: Exception) -> PipelineError:
    return PipelineError(
        f"Internal error: {type(error).__name__}: {error}",
        "The current release is untouched. Run again with --debug and report what it prints.",
    )


def _complain(arguments: argparse.Namespace, error: PipelineError) -> int:
    if getattr(arguments, "json", False):
        told = {"outcome": "failed", "error": type(error).__name__, "what": error.what, "do": error.do}
        print(json.dumps(told | {"exit_code": error.exit_code}))
    print(show_unseen(f"abstracts: {error.what}\n  {error.do}"), file=sys.stderr)
    return error.exit_code
