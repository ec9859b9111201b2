"""Text of report.html: everything that comes from the data goes through here before it becomes mark-up."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

#: Control characters are shown as their pictures; line breaks and tabs stay.
_CONTROLS = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"} | {127: 0x2421}
#: What nobody sees, or what turns the text around it about, is named; joiners stay.
_UNSEEN = [0xAD, 0x61C, 0x200B, 0x200E, 0x200F, 0xFEFF, *range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2060, 0x2070), *range(0xE0000, 0xE0080)]
_SHOWN = _CONTROLS | {code: f"⟨U+{code:04X}⟩" for code in _UNSEEN}
#: A lone surrogate (from a file name that is not UTF-8) cannot be written.
_SURROGATES = re.compile("[\ud800-\udfff]")
#: Characters that could end a script element, or a line of script, inside a JSON text.
_UNSAFE_IN_SCRIPT = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def visible(text: str) -> str:
    """`text` without characters that no page can hold."""
    return text if text.isprintable() else _SURROGATES.sub("\ufffd", text.translate(_SHOWN))


def escape(text: object) -> str:
    """A value as text for an element or a quoted attribute."""
    return html.escape(visible(str(text)))


def isolate(text: object) -> str:
    """A value from the data as an element of its own, so that its direction of writing cannot reach its surroundings."""
    return f"<bdi>{escape(text)}</bdi>"


def script_json(value: Any) -> str:
    """A value as JSON that can stand in a script element: nothing in it can end the element."""
    text = visible(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    for character, escaped in _UNSAFE_IN_SCRIPT.items():
        text = text.replace(character, escaped)
    return text


def shorten(text: str, limit: int) -> str:
    """The first `limit` characters."""
    return text if len(text) <= limit else f"{text[:limit].rstrip()} …"


def figure(number: float | None) -> str:
    """A number for people: thousands separated, no more digits than it needs."""
    if number is None:
        return "–"
    if float(number).is_integer() and abs(number) < 1e15:
        return f"{int(number):,}"
    return f"{number:,.4g}" if abs(number) < 1e6 else f"{number:.4g}"


def share(part: float, whole: float) -> str:
    """A part in per cent."""
    if not whole:
        return "–"
    percent = 100 * part / whole
    return f"{percent:.0f}%" if percent >= 10 or percent == int(percent) else f"{percent:.1f}%"


def plural(count: int, noun: str) -> str:
    """`1 record`, `2 records`."""
    return f"{count:,} {noun if count == 1 else noun[:-1] + 'ies' if noun.endswith('y') else noun + 's'}"


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """A table. Cells are mark-up; a head that starts with `#` heads a column of numbers; the first cell heads its row."""
    numeric = [head.startswith("#") for head in heads]
    top = "".join(
        f'<th scope="col"{_class(number)}>{head.removeprefix("#")}</th>' if head else "<td></td>" for head, number in zip(heads, numeric, strict=True)
    )
    lines = []
    for first, *rest in rows:
        cells = "".join(f"<td{_class(number)}>{cell}</td>" for cell, number in zip(rest, numeric[1:], strict=True))
        lines.append(f'<tr><th scope="row"{_class(numeric[0])}>{first}</th>{cells}</tr>')
    named = f' class="{kind}"' if kind else ""
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{caption}"><table{named}><caption>{caption}</caption>'
        f"<thead><tr>{top}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


def _class(numeric: bool) -> str:
    return ' class="number"' if numeric else ""
