"""Mutants of the value modules that the tests kill: python -m benchmarks.mutation [--mutants 200] [--jobs 2] [--only PART]

A mutant is a module with one small change: a comparison, a boolean operator, an arithmetic operator, a number or a
condition. They are drawn at random over all such places in the modules that make values: cleaning, reading of fields,
comparing texts, quantities, short forms, addresses. Each is tried in a copy of the project by the tests of its part,
which stop at the first failure; a mutant that no test notices survives and is printed with its place. Exit code 1 below
85%. Regular expressions and word lists are data and stay as they are; what only scores or learns (readers' guesses,
features) is left out. Needs the test tools, writes nothing to the project.
"""

from __future__ import annotations

import argparse
import ast
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

ROOT = Path(__file__).resolve().parent.parent
WANTED = 0.85
TIMEOUT = 120
SNAPSHOT = "golden/test_snapshot.py"
#: The modules of each part, and the tests that are its own.
PARTS: dict[str, tuple[list[str], list[str]]] = {
    "clean": (
        ["clean/*.py", "offsets.py", "sentences.py"],
        ["unit/test_clean.py", "unit/test_offsets.py", "unit/test_sentences.py", "unit/test_clean_stage.py", SNAPSHOT, "properties/test_clean_properties.py"],
    ),
    "extract": (
        ["extract/encoding.py", "extract/fields.py", "extract/identifiers.py", "extract/labels.py", "extract/metadata.py", "extract/people.py", "extract/placeholders.py", "extract/tagged.py"],
        ["unit/test_extract_values.py", "unit/test_extract_dialects.py", "unit/test_extract_shapes.py", "unit/test_extract_cases.py", SNAPSHOT, "properties/test_extract_properties.py"],
    ),
    "dedupe": (
        ["dedupe/changes.py", "dedupe/keys.py", "dedupe/judge.py", "dedupe/tokens.py", "dedupe/likeness.py"],
        ["unit/test_dedupe_keys.py", "unit/test_dedupe_judge.py", "unit/test_dedupe_evidence.py", "unit/test_dedupe_group.py", "unit/test_dedupe_records.py", SNAPSHOT, "properties/test_dedupe_properties.py"],
    ),
    "enrich": (
        ["enrich/numbers.py", "enrich/units.py", "enrich/quantities*.py", "enrich/results_relation.py", "enrich/results_exclude.py", "enrich/results_symbolic.py", "enrich/acronyms.py",
         "enrich/hosts.py", "enrich/identifiers.py", "enrich/url*.py", "enrich/names_events.py", "enrich/names_mentions.py"],
        ["unit/test_results.py", "unit/test_names.py", "unit/test_acronyms.py", "unit/test_urls.py", SNAPSHOT, "golden/test_seeds.py"],
    ),
}  # fmt: skip
_COMPARED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In}
_COUNTED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult}


def places(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """The nodes that can be changed, and how, in functions only."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef) or any(isinstance(d, ast.Name) and d.id in {"cache", "overload"} for d in function.decorator_list):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARED:
                yield node, "compare"
            elif isinstance(node, ast.BoolOp):
                yield node, "boolean"
            elif isinstance(node, ast.BinOp) and type(node.op) in _COUNTED and not isinstance(node.left, ast.Constant | ast.JoinedStr):
                yield node, "arithmetic"
            elif isinstance(node, ast.If | ast.IfExp | ast.While) and not isinstance(node.test, ast.Constant):
                yield node, "condition"
            elif isinstance(node, ast.Constant) and type(node.value) in (int, bool):
                yield node, "number"


def mutate(node: ast.AST, kind: str) -> str:
    """Change a node in place; what was changed."""
    before = ast.unparse(node).split("\n")[0][:90]
    if isinstance(node, ast.Compare):
        node.ops[0] = _COMPARED[type(node.ops[0])]()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.BinOp):
        node.op = _COUNTED[type(node.op)]()
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.Constant):
        node.value = not node.value if isinstance(node.value, bool) else int(node.value) + 1  # type: ignore[arg-type]
    return f"{kind}: {before}  ->  {ast.unparse(node).split(chr(10))[0][:90]}"


def mutants(home: Path, parts: list[str]) -> list[tuple[str, Path, int]]:
    """Every place of the parts in the copy at `home`: part, module, number of the place in it."""
    found = []
    for part in parts:
        for pattern in PARTS[part][0]:
            for path in sorted((home / "pipeline").glob(pattern)):
                tree = ast.parse(path.read_text("utf-8"))
                found += [(part, path.relative_to(home), number) for number, _ in enumerate(places(tree))]
    return found


def survives(home: Path, part: str, module: Path, number: int) -> str | None:
    """Try one mutant in the copy of the project at `home`; what it is if no test notices."""
    source = (home / module).read_text("utf-8")
    tree = ast.parse(source)
    node, kind = list(places(tree))[number]
    line, told = getattr(node, "lineno", 0), mutate(node, kind)
    (home / module).write_text(ast.unparse(ast.fix_missing_locations(tree)), "utf-8")
    try:
        killed = not passes(home, part)
    finally:
        (home / module).write_text(source, "utf-8")
    return None if killed else f"{module}:{line} {told}"


def copied(home: Path) -> Path:
    """A copy of the project at `home`, so that edits meanwhile do not matter."""
    for name in ("pipeline", "schemas", "tests", "seeds", "benchmarks", "docs"):
        shutil.copytree(ROOT / name, home / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", home)
    return home


def passes(home: Path, part: str) -> bool:
    """Whether the tests of a part pass in the copy at `home`."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore", *(f"tests/{path}" for path in PARTS[part][1])]
    environment = {"PYTHONPATH": str(home), "PATH": "/usr/bin:/bin", "HOME": str(home)}
    try:
        return subprocess.run(command, cwd=home, capture_output=True, timeout=TIMEOUT, env=environment).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=sorted(PARTS))
    arguments = parser.parse_args()
    total: Counter[str] = Counter()
    left: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        first = copied(Path(folder, "0"))
        homes: Queue[Path] = Queue()
        homes.put(first)
        for job in range(1, arguments.jobs):
            homes.put(shutil.copytree(first, Path(folder, str(job))))
        everything = mutants(first, [arguments.only] if arguments.only else sorted(PARTS))
        drawn = random.Random(arguments.seed).sample(everything, min(arguments.mutants, len(everything)))

        for part in sorted({part for part, _, _ in drawn}):
            if not passes(first, part):
                raise SystemExit(f"The tests of {part} fail without any mutant: mend them first.")

        def attempt(mutant: tuple[str, Path, int]) -> None:
            home = homes.get()
            try:
                told = survives(home, *mutant)
            finally:
                homes.put(home)
            total[mutant[0]] += 1
            if told:
                left[mutant[0]] += 1
                print(f"survived  {told}", flush=True)

        with ThreadPoolExecutor(arguments.jobs) as pool:
            list(pool.map(attempt, drawn))
    for part, count in sorted(total.items()):
        print(f"{part:8} {count:5} mutants, {1 - left[part] / count:.1%} killed")
    killed = 1 - left.total() / total.total()
    print(f"{total.total()} of {len(everything):,} mutants tried, {killed:.1%} killed (wanted: {WANTED:.0%})")
    return 0 if killed >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
