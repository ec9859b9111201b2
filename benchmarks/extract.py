"""Extract: time per record beyond `json.loads`, growth with size, peak memory.

    python benchmarks/extract.py [--records 40000]

Writes generated JSON Lines, a JSON array, PubMed XML and CSV to a temporary folder, reads each with `read_file` in
a process of its own (its start-up included), and prints microseconds per record, records per second and peak
memory. Two sizes show whether time grows linearly and memory does not. The target for JSON Lines, 15 µs per record
beyond `json.loads`, is not reached yet: making one record with its metadata takes about 35 µs on a quiet core.
"""

from __future__ import annotations

import argparse
import csv
import json
import multiprocessing
import pathlib
import resource
import tempfile
import time
from collections.abc import Callable

from pipeline.extract import ExtractOptions, InputFile, read_file
from pipeline.model import RawRecord

TEXT = (
    "Routing tables grow faster than the memory of the routers that hold them. We present a compact trie that merges prefixes "
    "whose next hops agree, and prove that it is within a factor of 3/2 of the optimum. On traces of four providers it needs 38% less memory. "
) * 5


def _object(number: int) -> dict[str, object]:
    return {
        "id": f"{2001 + number // 100000}.{number % 100000:05d}",
        "title": f"A title of the usual length, number {number}",
        "authors": ["Ada Berg", "Luis Ortega", "Ken Ito"],
        "categories": ["cs.NI", "cs.DS"],
        "published": "2024-05-06T07:08:09Z",
        "doi": f"10.5555/bench.{number}",
        "abs": f"https://example.org/abs/{number}",
        "abstract": f"{TEXT}{number}",
    }


def write_lines(path: pathlib.Path, records: int) -> None:
    with path.open("w", encoding="utf-8") as out:
        for number in range(records):
            out.write(json.dumps(_object(number)) + "\n")


def write_array(path: pathlib.Path, records: int) -> None:
    with path.open("w", encoding="utf-8") as out:
        for number in range(records):
            out.write(("[" if number == 0 else ",\n") + json.dumps(_object(number)))
        out.write("]\n")


def write_xml(path: pathlib.Path, records: int) -> None:
    with path.open("w", encoding="utf-8") as out:
        out.write("<?xml version='1.0'?><PubmedArticleSet>\n")
        for number in range(records):
            authors = "".join(
                f"<Author><LastName>Berg{i}</LastName><ForeName>Ada</ForeName></Author>" for i in range(5)
            )
            out.write(
                f"<PubmedArticle><MedlineCitation><PMID>{number}</PMID><Article><Journal><Title>Journal</Title></Journal><ArticleTitle>Title {number}</ArticleTitle>"
                f"<Abstract><AbstractText>{TEXT}{number}</AbstractText></Abstract><AuthorList>{authors}</AuthorList></Article></MedlineCitation></PubmedArticle>\n"
            )
        out.write("</PubmedArticleSet>\n")


def write_csv(path: pathlib.Path, records: int) -> None:
    with path.open("w", encoding="utf-8", newline="") as out:
        table = csv.writer(out)
        table.writerow(["Title", "Authors", "Year", "DOI", "Abstract"])
        table.writerows(
            [f"Title {number}", "Berg, Ada; Ortega, Luis", "2020", f"10.5555/bench.{number}", f"{TEXT}{number}"]
            for number in range(records)
        )


def _read(path: pathlib.Path) -> int:
    return sum(
        isinstance(row, RawRecord)
        for row in read_file(InputFile(path.name, path, path.stat().st_size), ExtractOptions())
    )


def _loads(path: pathlib.Path) -> int:
    with path.open("rb") as lines:
        return sum(1 for line in lines if json.loads(line))


def _measured(
    work: Callable[[pathlib.Path], int], path: pathlib.Path, results: multiprocessing.Queue[tuple[int, float, float]]
) -> None:
    start = time.process_time()
    count = work(path)
    results.put((count, time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


def measure(work: Callable[[pathlib.Path], int], path: pathlib.Path) -> tuple[int, float, float]:
    """Records, CPU seconds and peak memory in MiB of one reading in a fresh process."""
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    process = context.Process(target=_measured, args=(work, path, results))
    process.start()
    result = results.get()
    process.join()
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=40_000)
    records = parser.parse_args().records
    formats = {"x.jsonl": write_lines, "x.json": write_array, "x.xml": write_xml, "x.csv": write_csv}
    with tempfile.TemporaryDirectory() as folder:
        for name, write in formats.items():
            for size in (records // 4, records):
                path = pathlib.Path(folder) / name
                write(path, size)
                count, seconds, peak = measure(_read, path)
                line = f"{name:8} {size:>8,} records {path.stat().st_size / 2**20:7.1f} MiB: {1e6 * seconds / count:6.1f} µs a record, {count / seconds:>9,.0f} a second, peak {peak:5.0f} MiB"
                if name == "x.jsonl":
                    loads = measure(_loads, path)[1]
                    line += f", {1e6 * (seconds - loads) / count:.1f} µs beyond json.loads"
                print(line, flush=True)
                path.unlink()


if __name__ == "__main__":
    main()
