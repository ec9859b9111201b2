"""The same three papers in many dialects: every abstract and every title is found, and nothing else."""

from __future__ import annotations

import json
import pathlib
import textwrap

import pytest

from pipeline.extract import ExtractOptions, InputFile, read_file
from pipeline.model import RawRecord

ABSTRACTS = (
    "We introduce FooNet, a simple architecture for graph classification that improves accuracy by 3.2 points on OGB while using half of the parameters. It generalizes well across domains.",
    "Reinforcement learning from human feedback is brittle. In this paper, we study reward hacking in large language models and propose a regularizer that reduces it on three benchmarks.",
    "Diffusion models are slow at sampling time. We present a distillation scheme that cuts sampling to four steps without loss of quality, and reach an FID of 2.1 on CIFAR-10.",
)
TITLES = ("FooNet: Graphs Made Easy", "Taming Reward Hacking", "Four-Step Diffusion by Distillation")
AUTHORS = ("Jane Doe, John Roe", "Li Wei, Ana Silva", "Max Muster, Erika Mann")


def papers(template: str) -> str:
    """The template filled for each paper; `<<t>>`, `<<a>>`, `<<w>>`, `<<u>>`, `<<n>>`: title, abstract, the same wrapped, authors, number."""
    filled = []
    for number, (title, abstract, authors) in enumerate(zip(TITLES, ABSTRACTS, AUTHORS, strict=True), 1):
        values = {"t": title, "a": abstract, "w": textwrap.fill(abstract, 72), "u": authors, "n": str(number)}
        text = template
        for name, value in values.items():
            text = text.replace(f"<<{name}>>", value)
        filled.append(text)
    return "".join(filled)


def in_json(value: object) -> str:
    return json.dumps(value)


PAIRS = [{"title": title, "abstract": abstract} for title, abstract in zip(TITLES, ABSTRACTS, strict=True)]
DIALECTS = {
    "definition list": f"<html><dl>{papers('<dt><a href=p<<n>>.html><<t>></a></dt><dd><<a>></dd>')}</dl></html>",
    "definition list with authors": f"<html><h1>Papers</h1><dl>{papers('<dt><<t>></dt><dd><i><<u>></i></dd><dd><<a>></dd>')}</dl></html>",
    "cards": f"<html>{papers('<div class=card><h5 class=card-title><<t>></h5><h6><<u>></h6><p class=card-text><<a>></p></div>')}</html>",
    "folded": f"<html><ul>{papers('<li><b><<t>></b><br><i><<u>></i><button>Show</button><div style=display:none><<a>></div></li>')}</ul></html>",
    "state of an application": f"<html><body><p>x</p><script type='application/json'>{in_json({'props': {'papers': PAIRS}})}</script></body></html>",
    "variable in a page": f"<html><body><p>x</p><script>window.papers = {in_json(PAIRS)};</script></body></html>",
    "DataCite": in_json(
        {
            "data": [
                {"attributes": {"titles": [{"title": p["title"]}], "descriptions": [{"description": p["abstract"], "descriptionType": "Abstract"}, {"description": "12 pages", "descriptionType": "Other"}]}}
                for p in PAIRS
            ]
        }
    ),
    "columns and data": in_json({"columns": ["title", "abstract"], "index": [0, 1, 2], "data": [list(p.values()) for p in PAIRS]}),
    "German table": "sep=;\nTitel;Autoren;Kurzfassung\n" + papers('"<<t>>";"<<u>>";"<<a>>"\n'),
    "Cochrane export": papers("Record #<<n>> of 3\nID: CN-<<n>>\nAU: <<u>>\nTI: <<t>>\nSO: J. 2024\nAB: <<a>>\n\n"),
    "labels in capitals": papers("TITLE\n<<t>>\n\nAUTHORS\n<<u>>\n\nABSTRACT\n<<w>>\n\n\n"),
    "TOML": papers('[[paper]]\ntitle = "<<t>>"\nabstract = """\n<<w>>\n"""\n\n'),
    "fields by attribute": f"<?xml version='1.0'?><records>{papers('''<record><field name='Title'><<t>></field><field name='Abstract'><<a>></field></record>''')}</records>",
    "Solr": f"<response><result>{papers('''<doc><str name='title'><<t>></str><arr name='abstract'><str><<a>></str></arr></doc>''')}</result></response>",
    "DSpace": f"<OAI-PMH><ListRecords>{papers('''<record><metadata><dim:dim><dim:field element='title'><<t>></dim:field><dim:field element='description' qualifier='abstract'><<a>></dim:field></dim:dim></metadata></record>''')}</ListRecords></OAI-PMH>",
    "MARC": f"<collection>{papers('''<record><datafield tag='245'><subfield code='a'><<t>></subfield></datafield><datafield tag='520'><subfield code='a'><<a>></subfield></datafield></record>''')}</collection>",
    "paragraph with a label inside": f"<html>{papers('<p><b><<t>></b><br><<u>><br><b>Abstract:</b> <<a>></p>')}</html>",
    "preformatted": f"<html><h1>x</h1>{papers('<h3><<t>></h3><pre><<w>></pre>')}</html>",
    "Markdown under summaries": papers("<details>\n<summary><b><<t>></b></summary>\n\n<<a>>\n\n</details>\n\n"),
    "IEEE": papers("<<t>>\n<<u>>\nAbstract—<<w>>\nIndex Terms—one, two\n\n"),
    "Org mode": "#+TITLE: Papers\n" + papers("* <<t>>\n:PROPERTIES:\n:AUTHOR: <<u>>\n:END:\n<<w>>\n"),
    "AsciiDoc": "= Papers\n\n" + papers("== <<t>>\n\n_<<u>>_\n\n<<a>>\n\n"),
    "reStructuredText": "Accepted papers\n===============\n\n" + papers("<<t>>\n----------------------------------\n\n<<u>>\n\n<<w>>\n\n"),
    "keywords behind": papers("<<t>>\n<<w>>\nKeywords: one, two\n\n"),
    "LaTeX collection": "\\documentclass{article}\\title{Book}\\begin{document}\n" + papers("\\section*{<<t>>}\n\\begin{abstract}\n<<w>>\n\\end{abstract}\n") + "\\end{document}\n",
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_paper_is_found(tmp_path: pathlib.Path, dialect: str) -> None:
    path = tmp_path / "papers"
    path.write_text(DIALECTS[dialect], encoding="utf-8")
    records = [row for row in read_file(InputFile(path.name, path, 0), ExtractOptions()) if isinstance(row, RawRecord)]
    assert [" ".join(record.raw_text.split()) for record in records] == list(ABSTRACTS)
    assert [record.title for record in records] == list(TITLES)


def test_numbered_citations_above_their_abstracts(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "papers.txt"
    path.write_text(papers("<<n>>. <<t>>. <<u>>. J 2024;1:2-3.\nAbstract: <<a>>\n\n"), encoding="utf-8")
    records = [row for row in read_file(InputFile(path.name, path, 0), ExtractOptions()) if isinstance(row, RawRecord)]
    assert [record.raw_text for record in records] == list(ABSTRACTS)


def test_prose_of_a_page_without_papers_is_no_abstract(tmp_path: pathlib.Path) -> None:
    """Several paragraphs under one heading: a page of text."""
    path = tmp_path / "page.html"
    path.write_text(f"<html><body><h1>About our group and its work</h1>{papers('<p><<a>></p>')}</body></html>", encoding="utf-8")
    assert not [row for row in read_file(InputFile(path.name, path, 0), ExtractOptions()) if isinstance(row, RawRecord)]


@pytest.mark.parametrize(("text", "told"), [("{\\rtf1\\ansi " + ABSTRACTS[0] + "}", "RTF"), (f"INSERT INTO papers VALUES (1, '{ABSTRACTS[0]}');", "SQL")])
def test_what_is_no_text_is_told(tmp_path: pathlib.Path, text: str, told: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text, encoding="ascii")
    assert told in str(list(read_file(InputFile(path.name, path, 0), ExtractOptions())))


UNTITLED = {
    "one per line": "\n".join(ABSTRACTS),
    "one per line, from Windows": "\r\n".join(ABSTRACTS),
    "quoted lines": "\n".join(f'"{text}"' for text in ABSTRACTS),
    "a list in Python": "abstracts = [\n" + "".join(f"    {text!r},\n" for text in ABSTRACTS) + "]\n",
    "indented first lines": "".join("    " + textwrap.fill(text, 60) + "\n" for text in ABSTRACTS),
}


@pytest.mark.parametrize("layout", UNTITLED)
def test_every_abstract_is_found(tmp_path: pathlib.Path, layout: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(UNTITLED[layout].encode())
    records = [row for row in read_file(InputFile(path.name, path, 0), ExtractOptions()) if isinstance(row, RawRecord)]
    assert [" ".join(record.raw_text.split()) for record in records] == list(ABSTRACTS)
    assert [path.read_bytes()[record.byte_start : record.byte_end].decode().split() for record in records] == [text.split() for text in ABSTRACTS]
