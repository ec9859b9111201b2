"""Commands on releases: list, switch, compare, validate, publish, score, explain."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path

from pipeline.commands import effective
from pipeline.errors import RefusedError, UsageError
from pipeline.settings import Settings


def _output(arguments: Namespace) -> Path:
    return Path(effective(arguments).settings.output)


def release_path(arguments: Namespace, name: str | None) -> Path:
    """The folder of a release: `name` is a folder or a version; None is the current one. Raises UsageError."""
    from pipeline.load.publish import current_release

    output = _output(arguments)
    if name is None:
        found = current_release(output)
        if found is None:
            raise UsageError(f"There is no release in {output}.", "Make one: abstracts run INPUT")
        return found
    for path in (Path(name), output / "releases" / name):
        if (path / "manifest.json").is_file():
            return path.resolve()
    raise UsageError(f"No release {name!r}: neither a folder with a manifest.json nor a version in {output}.", "See which there are: abstracts releases")


def releases(arguments: Namespace) -> int:
    """`abstracts releases`."""
    from pipeline.load.publish import current_release, list_releases
    from pipeline.load.wholeness import looks_whole

    output = _output(arguments)
    current = current_release(output)
    for path in list_releases(output):
        mark = "* " if path.resolve() == current else "  "
        if not looks_whole(path):
            print(f"{mark}{path.name}  damaged: abstracts validate {path}")
            continue
        rows = json.loads((path / "manifest.json").read_text("utf-8"))["figures"]["rows"]
        print(f"{mark}{path.name}  {rows.get('abstracts', 0):>10,} abstracts  {rows.get('sources', 0):>10,} sources")
    if current is None:
        print(f"No release in {output} yet. Make one: abstracts run INPUT", file=sys.stderr)
    return 0


def use(arguments: Namespace) -> int:
    """`abstracts use VERSION`."""
    from pipeline.load.publish import output_lock, use_release

    output = _output(arguments)
    if not (output / "releases").is_dir():
        raise UsageError(f"There is no release in {output}.", "Make one: abstracts run INPUT, or name its folder with --output.")
    with output_lock(output):
        print(f"{output / 'current'} -> {use_release(output, arguments.version)}")
    return 0


def diff(arguments: Namespace) -> int:
    """`abstracts diff A B`."""
    from pipeline.load.changes import diff_releases

    text, told = diff_releases(release_path(arguments, arguments.old), release_path(arguments, arguments.new))
    print(json.dumps(told) if arguments.json else text)
    return 0


def validate(arguments: Namespace) -> int:
    """`abstracts validate PATH_OR_URL`: exit code 5 when something is wrong."""
    from pipeline.load.validate import validate_release

    place = arguments.release
    is_version = place is not None and "://" not in place and not Path(place).exists()
    found = str(release_path(arguments, place)) if place is None or is_version else place
    problems = validate_release(found)
    for problem in problems:
        print(problem)
    if problems:
        raise RefusedError(f"{found} is not a whole and valid release: {len(problems)} problems.", "Copy it again from where it came, or make a new one: abstracts run INPUT")
    print(f"{found}: valid")
    return 0


def publish(arguments: Namespace) -> int:
    """`abstracts publish --to TARGET`."""
    from pipeline.load.remote import publish_to

    refuse_own_folders(arguments.to, effective(arguments).settings)
    done = publish_to(release_path(arguments, arguments.release), arguments.to, dry_run=not arguments.execute)
    print(done)
    if arguments.execute:
        print(f"Done: release {done.version} is at {arguments.to}, every file verified by its hash.")
    else:
        print("Nothing was sent. Send it: the same command with --execute")
    return 0


def refuse_own_folders(target: str, settings: Settings) -> None:
    """Raise UsageError for a target within the output folder, or within a folder that is read: the next run would take the
    published files for inputs. Folders that are read are those of the settings and of the last run."""
    if "://" in target.removeprefix("file://"):
        return
    from pipeline.plan import last_run

    place, output = Path(target.removeprefix("file://")).resolve(), Path(settings.output).resolve()
    if place.is_relative_to(output):
        raise UsageError(f"{target} is in the output folder {output} itself.", "Name another folder; releases within the output are published by `abstracts run`.")
    read = [Path(path).resolve() for path in (*settings.inputs, *last_run(output / "work").get("inputs", ()))]
    for folder in read:
        if folder.is_dir() and place.is_relative_to(folder):
            raise UsageError(f"{target} is in {folder}, which is read as input: the next run would take the release for new abstracts.", "Name another folder.")


def explain(arguments: Namespace) -> int:
    """`abstracts explain ID`."""
    from pipeline.explain import explain as show
    from pipeline.explain import explain_html

    release = release_path(arguments, arguments.release)
    if arguments.html:
        print(explain_html(release, arguments.id))
    else:
        print(show(release, arguments.id, colour=sys.stdout.isatty()))
    return 0


def score(arguments: Namespace) -> int:
    """`abstracts score RELEASE GOLD`."""
    from pipeline.score import render, score_release

    gold = Path(arguments.gold)
    if not gold.is_file():
        raise UsageError(f"There is no gold file {gold}.", "Name a JSON Lines file of annotations.")
    result: Mapping[str, object] = score_release(release_path(arguments, arguments.release), gold, show=arguments.show)
    print(json.dumps(result) if arguments.json else render(result))
    return 0
