"""The rules of the house as tests: who may import whom, how large things may be, what importing may cost."""

from __future__ import annotations

import ast
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODULES = sorted([*(ROOT / "pipeline").rglob("*.py"), *(ROOT / "schemas").rglob("*.py")])
STAGES = ("extract", "clean", "dedupe", "enrich", "load")
SHARED = {"pipeline.model", "pipeline.errors", "pipeline.offsets", "pipeline.sentences"}
MAX_MODULE, MAX_FUNCTION, MAX_BRANCHES, MAX_PARAMETERS = 400, 40, 12, 5
BRANCHES = (ast.If, ast.For, ast.While, ast.ExceptHandler, ast.match_case)


def name_of(path: pathlib.Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(tree: ast.AST) -> set[str]:
    """Modules imported at run time, anywhere in the file; imports for types only do not count."""
    typing_only = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.unparse(block.test)
        for node in ast.walk(block)
    }
    found: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def ours(imports: set[str]) -> set[str]:
    return {i for i in imports if i.split(".")[0] in ("pipeline", "schemas")}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_module_fits_the_house(path: pathlib.Path) -> None:
    source = path.read_text("utf-8")
    tree = ast.parse(source)
    assert source.count("\n") <= MAX_MODULE, f"{name_of(path)} is longer than {MAX_MODULE} lines"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= MAX_FUNCTION, f"{node.name} has {length} lines"
            branches = sum(isinstance(n, BRANCHES) for n in ast.walk(node))
            assert branches <= MAX_BRANCHES, f"{node.name} has {branches} branches"
            parameters = [a for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs) if a.arg not in ("self", "cls")]
            assert len(parameters) <= MAX_PARAMETERS, f"{node.name} has {len(parameters)} parameters"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_go_one_way(path: pathlib.Path) -> None:
    name, imports = name_of(path), imports_of(ast.parse(path.read_text("utf-8")))
    used = ours(imports)
    if name.startswith("schemas"):
        assert not [i for i in used if i.startswith("pipeline")]
    if name in ("pipeline.model", "pipeline.errors"):
        assert not [i for i in used if not any(i == s or i.startswith(f"{s}.") for s in SHARED)]
    stage = name.split(".")[1] if name.count(".") >= 1 and name.split(".")[1] in STAGES else None
    if stage:
        allowed = (*SHARED, f"pipeline.{stage}", "schemas")
        strays = [i for i in used if i != "pipeline" and not any(i == a or i.startswith(f"{a}.") for a in allowed)]
        assert not strays, f"{name} imports {strays}"
    if name != "pipeline.flows":
        assert not [i for i in imports if i.split(".")[0] in ("prefect",)], f"{name} imports Prefect"
    if name != "pipeline.settings" and name not in ("pipeline.orchestrate", "schemas.as_pandera"):
        assert "os.environ" not in path.read_text("utf-8"), f"{name} reads the environment"


def loaded_by(statement: str) -> set[str]:
    code = f"{statement}\nimport sys; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stdout.split())


@pytest.mark.parametrize("module", ["pipeline.clean.plan", "pipeline.enrich.text", "pipeline.dedupe.keys"])
def test_value_modules_are_light(module: str) -> None:
    loaded = loaded_by(f"import {module}")
    assert not loaded & {"pandas", "pyarrow", "prefect", "pandera"}


def test_help_loads_no_heavy_library() -> None:
    loaded = loaded_by("from pipeline.cli import build_parser; build_parser().format_help()")
    assert not loaded & {"pandas", "pyarrow", "prefect", "pandera", "numpy"}


def test_running_directly_does_not_load_prefect() -> None:
    assert "prefect" not in loaded_by("import pipeline.run, pipeline.commands, pipeline.filters")


def test_importing_does_no_io(tmp_path: pathlib.Path) -> None:
    """No module writes or reads a file outside the import system while it is imported."""
    code = (
        "import sys, builtins, importlib, pandas, pyarrow, pandera.pandas\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        "opened = []\n"
        "def hook(event, args):\n"
        "    if event == 'open' and isinstance(args[0], str) and not args[0].endswith(('.py', '.pyc', '.so')): opened.append(args[0])\n"
        f"names = {[name_of(p) for p in MODULES if p.name not in ('flows.py', '__main__.py')]!r}\n"
        f"import os; ours = os.path.join({str(ROOT)!r}, '')\n"
        "sys.addaudithook(hook)\n"
        "for n in names: importlib.import_module(n)\n"
        "print([o for o in opened if o.startswith(ours) and os.sep + '.venv' + os.sep not in o and '__pycache__' not in o])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.strip() == "[]"
