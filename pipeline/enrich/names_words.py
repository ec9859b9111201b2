"""Words that say where a name begins, ends or goes on."""

from __future__ import annotations

import re

CONNECTORS = frozenset(["of", "for", "to", "the", "via", "in", "on", "with", "as", "from", "by", "and", "at", "&", "based", "through"])
HEADS = frozenset(
    ["dataset", "benchmark", "model", "network", "framework", "challenge", "algorithm", "method", "corpus", "suite", "task", "datasets", "benchmarks",
     "models", "environment", "simulator", "platform", "toolkit", "library", "architecture", "system", "series", "family", "agent", "agents"]
)
LOWER_HEADS = frozenset(
    ["distance", "embedding", "embeddings", "test", "tests", "scale", "filter", "filtering", "optimization", "algorithm", "process", "processes",
     "regression", "divergence", "sampling", "decomposition", "network", "networks", "loss", "attention", "tree", "search", "learning", "dropout",
     "dynamics", "transform", "method", "matching", "clustering", "factorization", "estimator", "criterion", "coefficient", "index", "score", "model",
     "models", "analysis", "equation", "kernel", "projection", "projections", "iteration", "control", "function", "staining", "blotting", "correction",
     "questionnaire", "inventory", "imaging", "splatting", "diffusion", "encoder", "inference", "prompting", "planning", "treebank", "corpus", "dataset",
     "benchmark", "gradient", "descent", "normalization", "reachability", "policy", "approximation", "curves", "curve", "mechanism", "framework", "layer", "layers", "module", "modules", "spectroscopy",
     "tool", "criteria", "checklist", "bottlenecks", "block", "blocks", "operator", "representation", "equations", "simulation", "simulations", "pooling",
     "routing", "attack", "adapter", "adapters", "series", "collection", "database", "repository", "divergences", "processes", "machine", "machines",
     "pipeline", "strategy", "solver", "protocol", "estimation", "modeling", "modelling", "retrieval", "scheduling", "parser", "tagger", "chain", "chains"]
)
SUFFIX = re.compile(
    r"(?<=\w\w)[-‐‑–](?:based|like|style|reduced|aware|driven|guided|free|powered|trained|type|derived|inspired|generated|enhanced|augmented|only|wise|oriented"
    r"|induced|agnostic|compatible|tuned|specific|related|finetuned|pretrained|initialized|equipped|level|assisted|centric|integrated|family|class"
    r"|optimized|loaded|positive|negative|treated|infected|mediated|dependent|independent|constrained|scale|sized|embedded|enabled|informed|regularized|encoded|grounded|series|generation|hard|complete"
    r"|backed|distilled|annotated|native|hosted|controlled|conditioned|ready|adapted|simulated|rendered|compliant|resistant|view|preconditioner|preconditioned)"
    r"(?:[-‐‑–].*)?$"
)
NP_STOP = frozenset(
    ["that", "which", "for", "to", "in", "on", "with", "by", "via", "using", "of", "and", "from", "as", "is", "are", "where", "when", "while", "without",
     "called", "named", "termed", "dubbed", "consisting", "capable", "designed", "aimed", "aiming", "or", "under", "into", "through", "based", "built",
     "inspired", "leveraging", "tailored", "trained", "at", "between", "among", "across", "over", "not", "can", "we", "it", "this", "whose", "who",
     "comprising", "integrating", "combining", "composed", "has", "have", "will", "our", "their", "its", "also", "but", "if", "than", "such", "so", "how"]
)
SKIP = frozenset(
    ["a", "an", "the", "our", "novel", "new", "simple", "two", "three", "four", "first", "effective", "efficient", "yet", "so-called", "both", "general",
     "lightweight", "unified", "robust", "scalable", "principled", "also", "further", "here", "then", "called", "as", "either", "several", "i.e", "another",
     "it", "this", "following", "powerful", "comprehensive", "large-scale", "high-quality", "straightforward", "practical", "flexible", "complete"]
)
TAILS = frozenset(
    ["pro", "flash", "sonnet", "opus", "haiku", "turbo", "mini", "nano", "ultra", "instruct", "chat", "base", "large", "medium", "small", "thinking",
     "preview", "exp", "lite", "max", "plus", "coder", "vision", "fast", "high", "low", "xl", "omni", "air", "next", "distill", "it", "math", "vl"]
)
SIZE = re.compile(r"\d+(?:\.\d+)?[bBmM]")
NO_NAMES = frozenset(["generic", "field", "metric", "hardware", "maker", "venue", "place", "biomedical"])
QUOTES = frozenset("\"“”‘’'`*(")


DATA_HEADS = frozenset(["dataset", "datasets", "corpus", "corpora", "benchmark", "benchmarks", "challenge", "treebank", "database", "competition"])
GENERIC_HEADS = frozenset(
    ["technique", "techniques", "method", "methods", "approach", "approaches", "strategy", "strategies", "scheme", "schemes", "framework", "frameworks",
     "algorithm", "algorithms", "procedure", "model", "models", "system", "module", "modules", "architecture", "paradigm", "pipeline", "mechanism"]
)
