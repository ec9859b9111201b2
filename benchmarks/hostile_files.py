"""Hostile inputs, first half: bytes, layout, packing and the file system. Made anew from nothing each time, the same every time."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import random
import socket
import struct
import tarfile
import warnings
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

import zstandard

Make = Callable[[Path], None]
MIB = 1 << 20
PROSE = "We study how bridges of oak age under salt and frost. Over nine winters the joints lost 14% of their strength, and tar kept the loss below 3%. "
ENTRY = {"title": "Bridges of oak", "abstract": PROSE * 2}
LINE = (json.dumps(ENTRY) + "\n").encode()
#: Beside the input folder of a case lie these two; links and entities lead there, and nothing may follow them.
SECRET_FILE, SECRET_FOLDER = "../../secret.jsonl", "../../secret"


def lines(count: int, seed: int = 1) -> bytes:
    """Different records as JSON Lines, hard to compress."""
    rng = random.Random(seed)
    words = ["".join(rng.choices("abcdefghijklmnoprstuw", k=rng.randint(3, 9))) for _ in range(900)]
    return b"".join((json.dumps({"title": f"On {words[n % 900]}", "abstract": " ".join(rng.choices(words, k=60)) + "."}) + "\n").encode() for n in range(count))


def put(name: str, data: bytes | str | Callable[[], bytes]) -> Make:
    """Writes one file; large contents are made when they are wanted."""

    def make(folder: Path) -> None:
        content = data() if callable(data) else data
        (folder / name).write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)

    return make


def zipped(members: Iterable[tuple[str | zipfile.ZipInfo, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive of these members, also where two have one name."""
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", method) as archive:
        warnings.simplefilter("ignore")
        for name, data in members:
            archive.writestr(name, data, compress_type=method)
    return out.getvalue()


def tarred(members: Iterable[tuple[tarfile.TarInfo, bytes]], mode: str = "w") -> bytes:
    """A tar archive of these members."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for info, data in members:
            if info.isreg():
                info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def encodings() -> dict[str, Make]:
    text = f"Title: Bridges of oak\n\nAbstract: {PROSE * 2}Café, naïve, Müller: µ = 5 Ω.\n"
    cases: dict[str, Make] = {
        name: put(f"{name}.txt", text.encode(name, "replace"))
        for name in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "latin-1", "cp1251", "shift_jis", "gb18030", "koi8-r", "utf-7", "cp037")
    }
    return cases | {
        "bom-of-one-body-of-another": put("x.txt", b"\xff\xfe" + text.encode()),
        "two-boms": put("x.jsonl", b"\xef\xbb\xbf\xef\xbb\xbf" + LINE),
        "bom-in-the-middle": put("x.jsonl", LINE + b"\xef\xbb\xbf" + LINE),
        "mixed": put("x.txt", text.encode() + text.encode("cp1252", "replace") + text.encode("utf-16")),
        "overlong": put("x.txt", text.encode() + b" \xc0\xaf\xc0\xae\xe0\x80\xaf"),
        "surrogates-as-utf8": put("x.txt", text.encode() + b" \xed\xa0\x80\xed\xb0\x80 x"),
        "cut-in-a-character": put("x.txt", text.encode() + "é".encode()[:1]),
        "odd-utf16": put("x.txt", text.encode("utf-16") + b"\x00"),
        "declared-otherwise": put("x.xml", b'<?xml version="1.0" encoding="UTF-16"?><records><record><abstract>' + PROSE.encode() * 2 + b"</abstract></record></records>"),
        "unknown-encoding": put("x.xml", b'<?xml version="1.0" encoding="x-evil"?><records><record><abstract>' + PROSE.encode() * 2 + b"</abstract></record></records>"),
    }


def layout() -> dict[str, Make]:
    return {
        "empty": put("x.txt", b""),
        "one-newline": put("x.jsonl", b"\n"),
        "spaces-only": put("x.txt", b" \t\r\n" * 50_000),
        "nuls-only": put("x.txt", bytes(200_000)),
        "a-bom-only": put("x.csv", b"\xef\xbb\xbf"),
        "one-line-of-100-mb": put("x.jsonl", lambda: b'{"abstract": "' + b"word " * (20 * MIB) + b'"}\n' + LINE),
        "one-word-of-5-mb": put("x.txt", lambda: b"Abstract: " + b"x" * (5 * MIB)),
        "all-line-ends": put("x.txt", PROSE + "\r\r\n\n\x0b\x0c\x1c\x85\u2028\u2029" + PROSE),
        "million-empty-lines": put("x.jsonl", b"\n" * 1_000_000 + LINE),
        "noise": put("x.txt", random.Random(3).randbytes(300_000)),
        "noise-as-json": put("x.json", random.Random(4).randbytes(100_000)),
        "wrong-suffix": put("x.parquet", LINE * 2),
        "no-suffix": put("README", LINE * 2),
        "elf": put("x.bin", b"\x7fELF\x02\x01\x01" + random.Random(5).randbytes(20_000)),
        "png": put("x.png", b"\x89PNG\r\n\x1a\n" + random.Random(6).randbytes(20_000)),
        "pdf": put("x.pdf", b"%PDF-1.7\n1 0 obj<</JS(app.alert)>>\n" + random.Random(7).randbytes(20_000)),
        "pickle": put("x.pkl", b"cos\nsystem\n(S'touch TRIPPED'\ntR."),
        "sqlite": put("x.db", b"SQLite format 3\x00" + bytes(4000)),
    }


def _gzip_header(name: bytes) -> bytes:
    packed = gzip.compress(LINE, mtime=0)
    return packed[:3] + b"\x08" + packed[4:10] + name + b"\x00" + packed[10:]


def _nested(data: bytes, pack: Callable[[bytes], bytes], times: int) -> bytes:
    for _ in range(times):
        data = pack(data)
    return data


def gzips() -> dict[str, Make]:
    packed = gzip.compress(lines(3000), mtime=0)
    return {
        "cut": put("x.jsonl.gz", packed[: len(packed) // 2]),
        "header-only": put("x.gz", packed[:10]),
        "three-bytes": put("x.gz", packed[:3]),
        "flipped-in-the-middle": put("x.jsonl.gz", packed[:20_000] + bytes([packed[20_000] ^ 255]) + packed[20_001:]),
        "wrong-sum": put("x.jsonl.gz", packed[:-8] + b"\x00" * 8),
        "tail-of-junk": put("x.jsonl.gz", gzip.compress(LINE * 2, mtime=0) + b"junk" * 999),
        "many-members": put("x.jsonl.gz", b"".join(gzip.compress(line, mtime=0) for line in lines(300).splitlines(True))),
        "100000-empty-members": put("x.jsonl.gz", lambda: gzip.compress(b"", mtime=0) * 100_000 + gzip.compress(LINE, mtime=0)),
        "bomb": put("x.txt.gz", lambda: gzip.compress(bytes(100 * MIB), 9, mtime=0)),
        "bomb-of-bombs": put("x.gz", lambda: gzip.compress(gzip.compress(bytes(100 * MIB), 9, mtime=0), 9, mtime=0)),
        "ten-deep": put("x.gz", _nested(LINE, gzip.compress, 10)),
        "evil-name": put("x.gz", _gzip_header(b"../../../../../escaped.txt")),
        "unknown-flags": put("x.gz", packed[:3] + b"\xff" + packed[4:]),
    }


def streams() -> dict[str, Make]:
    text = lines(2000)
    packers: dict[str, Callable[[bytes], bytes]] = {"bz2": bz2.compress, "xz": lzma.compress, "zst": zstandard.compress}
    cases: dict[str, Make] = {}
    for kind, pack in packers.items():
        packed = pack(text)
        cases[f"{kind}-cut"] = put(f"x.jsonl.{kind}", packed[: len(packed) // 2])
        cases[f"{kind}-flipped"] = put(f"x.jsonl.{kind}", packed[:9000] + bytes([packed[9000] ^ 64]) + packed[9001:])
        cases[f"{kind}-bomb"] = put(f"x.txt.{kind}", lambda pack=pack: pack(bytes(100 * MIB)))
    huge_window = b"\x28\xb5\x2f\xfd\x00\xf8" + bytes(40)
    return cases | {
        "zst-huge-window": put("x.zst", huge_window),
        "xz-huge-dictionary": put("x.lzma", b"\x5d\xff\xff\xff\xff" + b"\xff" * 8 + bytes(50)),
        "zst-skippable-only": put("x.zst", b"\x50\x2a\x4d\x18\x04\x00\x00\x00junk" * 100),
        "7z-and-rar": put("x.7z", b"7z\xbc\xaf\x27\x1c\x00\x04" + random.Random(8).randbytes(3000)),
    }


def _overlapping_zip() -> bytes:
    """A zip in which 2,000 entries of the directory name one body."""
    data = zipped([("a.txt", bytes(8 * MIB))])
    start = data.index(b"PK\x01\x02")
    end = data.index(b"PK\x05\x06")
    directory = data[start:end] * 2000
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 2000, 2000, len(directory), start, 0)
    return data[:start] + directory + tail


def _encrypted_zip() -> bytes:
    data = bytearray(zipped([("x.jsonl", LINE)]))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def _device_zip() -> bytes:
    link = zipfile.ZipInfo("link.jsonl")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    return zipped([(link, SECRET_FILE.encode()), ("good.jsonl", LINE)])


def zips() -> dict[str, Make]:
    packed = zipped([("a.jsonl", LINE), ("b.jsonl", lines(500))])
    names = ("../../escaped.jsonl", "/abs/escaped.jsonl", "C:\\escaped.jsonl", "a/../../b.jsonl", "a\x1b[31m\n.jsonl", "a\u202eljsonl", "-rf", "con.jsonl", " ", "x" * 60_000, "a!b.jsonl")
    return {
        "slip": put("x.zip", zipped([(name, LINE) for name in names])),
        "cut": put("x.zip", packed[:-40]),
        "cut-in-a-member": put("x.zip", packed[: len(packed) // 2]),
        "flipped": put("x.zip", packed[:9000] + b"\xff\xff" + packed[9002:]),
        "flipped-directory": put("x.zip", packed[: packed.rindex(b"PK\x01\x02") + 24] + b"\xff\xff\xff\x7f" + packed[packed.rindex(b"PK\x01\x02") + 28 :]),
        "encrypted": put("x.zip", _encrypted_zip()),
        "unknown-method": put("x.zip", zipped([("a.jsonl", LINE)], zipfile.ZIP_STORED).replace(b"PK\x03\x04\x14\x00\x00\x00\x00\x00", b"PK\x03\x04\x14\x00\x00\x00\x63\x00")),
        "empty": put("x.zip", zipped([])),
        "folders-only": put("x.zip", zipped([("a/", b""), ("b/c/", b"")])),
        "one-name-twice": put("x.zip", zipped([("a.jsonl", lines(2, 5)), ("a.jsonl", lines(2, 6))])),
        "bomb": put("x.zip", lambda: zipped([("a.txt", bytes(100 * MIB)), ("b.jsonl", LINE)])),
        "overlapping": put("x.zip", _overlapping_zip),
        "nested-bomb": put("x.zip", lambda: _nested(bytes(16 * MIB), lambda data: zipped([(f"{n}.zip", data) for n in range(16)]), 3)),
        "nested-deep": put("x.zip", _nested(LINE, lambda data: zipped([("x.zip", data)]), 40)),
        "20000-members": put("x.zip", lambda: zipped([(f"{n}.txt", b"") for n in range(20_000)])),
        "prefix-of-junk": put("x.zip", b"#!/bin/sh\nexit\n" + packed),
        "link": put("x.zip", _device_zip()),
        "zip64-lies": put("x.zip", packed[:-22] + packed[-22:-12] + b"\xff" * 8 + packed[-4:]),
    }


def tars() -> dict[str, Make]:
    kinds = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE)
    links = [(member(f"l{n}.jsonl", kind, SECRET_FILE), b"") for n, kind in enumerate(kinds)]
    packed = tarred([(member("a.jsonl"), lines(300)), (member("b.jsonl"), LINE)])
    sparse = bytearray(tarred([(member("a.jsonl"), LINE)]))
    sparse[156:157] = b"S"
    huge = bytearray(packed)
    huge[124:136] = b"\x80" + b"\xff" * 11
    loop = [(member("a", tarfile.SYMTYPE, "b"), b""), (member("b", tarfile.SYMTYPE, "a"), b""), (member("c.jsonl"), LINE)]
    pax = member("a.jsonl")
    pax.pax_headers = {"path": "../../escaped.jsonl", "comment": "x" * 500_000}
    return {
        "slip": put("x.tar", tarred([(member(name), LINE) for name in ("../../escaped.jsonl", "/abs/escaped.jsonl", "a\n\x1b[2Jb.jsonl", "-x.jsonl")])),
        "links-and-devices": put("x.tar", tarred([*links, (member("good.jsonl"), LINE)])),
        "links-only": put("x.tar", tarred(links)),
        "link-loop": put("x.tar", tarred(loop)),
        "cut": put("x.tar", packed[: len(packed) // 2]),
        "cut-gz": put("x.tar.gz", gzip.compress(packed, mtime=0)[:20_000]),
        "wrong-sum": put("x.tar", packed[:148] + b"0000000\x00" + packed[156:]),
        "huge-size": put("x.tar", bytes(huge)),
        "sparse": put("x.tar", bytes(sparse)),
        "pax": put("x.tar", tarred([(pax, LINE)])),
        "one-name-twice": put("x.tar", tarred([(member("a.jsonl"), lines(2, 7)), (member("a.jsonl"), lines(2, 8))])),
        "bomb": put("x.tar.xz", lambda: lzma.compress(tarred([(member("zeros.txt"), bytes(100 * MIB)), (member("b.jsonl"), LINE)]))),
        "empty": put("x.tar", tarred([])),
        "20000-members": put("x.tar.gz", lambda: gzip.compress(tarred([(member(f"{n}.txt"), b"") for n in range(20_000)]), mtime=0)),
        "nested-deep": put("x.tar", _nested(LINE, lambda data: tarred([(member("x.tar"), data)]), 30)),
        "gnu-long-name": put("x.tar", tarred([(member("d/" * 5000 + "a.jsonl"), LINE)])),
    }


def _named(name: bytes) -> Make:
    def make(folder: Path) -> None:
        with open(os.path.join(os.fsencode(folder), name), "wb") as out:
            out.write(LINE)

    return make


def _locked(folder: Path) -> None:
    (folder / "x.jsonl").write_bytes(LINE)
    (folder / "x.jsonl").chmod(0)


def _locked_folder(folder: Path) -> None:
    (folder / "shut").mkdir()
    (folder / "shut/x.jsonl").write_bytes(LINE)
    (folder / "shut").chmod(0)


def _socket(folder: Path) -> None:
    here = Path.cwd()
    os.chdir(folder)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("x.sock")
    finally:
        os.chdir(here)


def _deep(folder: Path) -> None:
    here = folder
    for _ in range(300):
        here = here / "deep"
        here.mkdir()
    (here / "x.jsonl").write_bytes(LINE)


def _sparse(folder: Path) -> None:
    with (folder / "x.jsonl").open("wb") as out:
        out.write(LINE)
        out.truncate(300 * MIB)


def _many(folder: Path) -> None:
    for n in range(1500):
        (folder / f"{n}.txt").write_bytes(b"")


def _link(target: str, name: str = "link") -> Make:
    return lambda folder: (folder / name).symlink_to(target)


def _hard_links(folder: Path) -> None:
    (folder / "x.jsonl").write_bytes(LINE)
    (folder / "y.jsonl").hardlink_to(folder / "x.jsonl")


def file_system() -> dict[str, Make]:
    names = (b"new\nline.jsonl", b"esc\x1b[31mred.jsonl", b"bidi\xe2\x80\xaetxt.jsonl", b"-rf.jsonl", b"\xff\xfe.jsonl", b"a'b\"c.jsonl", b"=cmd.jsonl", b"x" * 200 + b".jsonl", b"<script>.jsonl", b"a!b.jsonl", b"%s%n.jsonl", b"  .jsonl", b"a\\b.jsonl")
    cases = {f"name-{n}": _named(name) for n, name in enumerate(names)}
    return cases | {
        "link-outside": _link(SECRET_FILE, "x.jsonl"),
        "link-to-folder-outside": _link(SECRET_FOLDER),
        "link-to-etc": _link("/etc/passwd", "x.txt"),
        "link-to-proc": _link("/proc/self/environ", "x.txt"),
        "link-to-zero": _link("/dev/zero", "x.txt"),
        "link-to-nothing": _link("nowhere", "x.txt"),
        "link-to-itself": _link("x.txt", "x.txt"),
        "link-to-parent": _link("..", "up"),
        "link-to-here": _link(".", "here"),
        "link-to-root": _link("/", "root"),
        "hard-links": _hard_links,
        "fifo": lambda folder: os.mkfifo(folder / "x.jsonl"),
        "socket": _socket,
        "locked": _locked,
        "locked-folder": _locked_folder,
        "folder-named-as-file": lambda folder: (folder / "x.jsonl").mkdir(),
        "deep": _deep,
        "sparse": _sparse,
        "1500-empty-files": _many,
    }


FILE_GROUPS: dict[str, Callable[[], dict[str, Make]]] = {"encodings": encodings, "layout": layout, "gzip": gzips, "streams": streams, "zip": zips, "tar": tars, "file-system": file_system}
