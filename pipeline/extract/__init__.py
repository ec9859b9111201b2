"""Files in, raw records out: discover, unpack, decode, recognise, read. Interprets nothing.

>>> from pathlib import Path
>>> from pipeline.extract import ExtractOptions, discover, read_file
>>> rows = [row for file in discover([Path("seeds")]) for row in read_file(file, ExtractOptions())]
"""

from __future__ import annotations

from pipeline.extract.discover import InputFile, discover
from pipeline.extract.inspection import Inspection, inspect_file, render_inspection
from pipeline.extract.options import ExtractOptions
from pipeline.extract.reading import read_file

__all__ = ["ExtractOptions", "InputFile", "Inspection", "discover", "inspect_file", "read_file", "render_inspection"]
