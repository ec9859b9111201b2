"""Which character encoding a file is in, from its bytes."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(
    rb"""(?:<\?xml[^>]{0,200}encoding\s*=\s*|<meta[^>]{0,200}charset\s*=\s*)["']?([A-Za-z0-9_.:-]{2,40})""", re.I
)
_EAST_ASIAN = ("gb18030", "shift_jis", "euc_jp", "euc_kr", "big5")
_CYRILLIC = ("cp1251", "koi8_r")
_UNDEFINED_IN_CP1252 = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_ISO2022 = re.compile(rb"\x1b\$[@B]|\x1b\([BJ]")


@dataclass(frozen=True, slots=True)
class Encoding:
    """A Python codec name, the length of the byte order mark, and why it was chosen."""

    name: str
    bom: int = 0
    reason: str = ""

    @property
    def codec(self) -> str:
        """The codec that decodes what stands after the byte order mark."""
        return "utf-8" if self.name == "utf-8-sig" else self.name

    @property
    def errors(self) -> str:
        """The error handler: lone surrogates for broken bytes (PEP 383) where the codec can, else U+FFFD."""
        return "replace" if self.is_wide or self.name.startswith("iso2022") else "surrogateescape"

    @property
    def is_wide(self) -> bool:
        """True where a line feed is more than one byte."""
        return self.name.startswith(("utf-16", "utf-32"))


def detect_encoding(head: bytes, complete: bool) -> Encoding:
    """The encoding of a file that starts with `head` (all of it where `complete`).

    Order: byte order mark; NUL bytes in the pattern of UTF-16/32; valid UTF-8; almost valid UTF-8 (some
    broken bytes in a UTF-8 file must not turn the whole file into mojibake); what the file declares;
    then a guess from the bytes above 0x7F.
    """
    for bom, name in _BOMS:
        if head.startswith(bom):
            return Encoding(name, len(bom), "byte order mark")
    if wide := _wide(head):
        return Encoding(wide, 0, "every second byte is NUL")
    if _ISO2022.search(head) and head.isascii():
        return Encoding("iso2022_jp", 0, "ISO 2022 escapes")
    if head.isascii():
        return Encoding("utf-8", 0, "ASCII only")
    if _is_utf8(head, complete):
        return Encoding("utf-8", 0, "valid UTF-8")
    good, broken = _utf8_score(head, complete)
    if good > broken:
        return Encoding("utf-8", 0, f"UTF-8 with {broken} broken bytes")
    if declared := _declared(head, complete):
        return Encoding(declared, 0, "declared in the file")
    return _guess(head, complete)


def _wide(head: bytes) -> str | None:
    sample = head[:4096]
    if len(sample) < 8:
        return None
    quarter = len(sample) // 4
    nul = [sample[i::4].count(0) for i in range(4)]
    full = [count >= 0.9 * quarter for count in nul]
    few = [count <= 0.3 * quarter for count in nul]
    if full[1] and full[2] and full[3] and few[0]:
        return "utf-32-le"
    if full[0] and full[1] and full[2] and few[3]:
        return "utf-32-be"
    half = len(sample) // 2
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd >= 0.4 * half and even <= 0.05 * half:
        return "utf-16-le"
    if even >= 0.4 * half and odd <= 0.05 * half:
        return "utf-16-be"
    return None


def _is_utf8(head: bytes, complete: bool) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")("strict").decode(head, final=complete)
    except UnicodeDecodeError:
        return False
    return True


def _utf8_score(head: bytes, complete: bool) -> tuple[int, int]:
    """Valid multi-byte characters and broken bytes of `head` read as UTF-8."""
    text = _decode(head, "utf-8", complete)
    broken = len(re.findall("[\udc80-\udcff]", text))
    good = sum(len(run) for run in re.findall("[^\x00-\x7f\udc80-\udcff]+", text))
    return good, broken


def _decode(head: bytes, codec: str, complete: bool) -> str:
    decoder = codecs.getincrementaldecoder(codec)("surrogateescape")
    return decoder.decode(head, final=complete)


def _declared(head: bytes, complete: bool) -> str | None:
    match = _DECLARED.search(head[:2048])
    if match is None:
        return None
    try:
        name = codecs.lookup(match[1].decode("ascii")).name
        if name in {"iso8859-1", "ascii"}:
            name = "cp1252"
        text = _decode(head, name, complete)
    except (LookupError, UnicodeError, ValueError):
        return None
    return None if name.startswith("utf") or re.search("[\udc80-\udcff]", text) else name


def _guess(head: bytes, complete: bool) -> Encoding:
    runs = _HIGH_RUN.findall(head)
    long_share = sum(len(run) for run in runs if len(run) >= 3) / sum(len(run) for run in runs)
    if long_share > 0.5:
        best = max((*_EAST_ASIAN, *_CYRILLIC), key=lambda codec: _plausibility(head, codec, complete))
        if _plausibility(head, best, complete) > 0.6:
            return Encoding(best, 0, "frequent characters of its script")
    if _UNDEFINED_IN_CP1252.search(head):
        return Encoding("latin-1", 0, "single bytes above 0x7F, some undefined in cp1252")
    return Encoding("cp1252", 0, "single bytes above 0x7F among Latin letters")


# Ten of the commonest characters carry about a seventh of running Chinese, Japanese kana about half of Japanese.
_COMMON = {
    "gb18030": re.compile(
        "[的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形相全表间样与关各重新线内数正心反你明看原又么利比或但质气第向道命此变条只没结解问意建月公无系军很情者最立代想已通并提直题党程展五果料象员革位入常文总次品式活设及管特件长求老头基资边流路级少图山统接知较将组见计别她手角期根论运农指研究模型数据训练基于方法]"
    ),
    "big5": re.compile(
        "[的一是在不了有和人這中大為上個國我以要他時來用們生到作地於出就分對成會可主發年動同工也能下過子說產種面而方後多定行學法所民得經研究模型資料訓練基於之進著等部度家電力裡如水化高自二理起小物現實加量都兩體制機當使點從業本去把性好應開它合還因由其些然前外天]"
    ),
    "shift_jis": re.compile("[\u3040-\u30ff、。]"),
    "euc_jp": re.compile("[\u3040-\u30ff、。]"),
    "euc_kr": re.compile("[\uac00-\ud7a3]"),
    "cp1251": re.compile("[оеаинтсрвлкмдпу]"),
    "koi8_r": re.compile("[оеаинтсрвлкмдпу]"),
}
_EXPECTED = {
    "gb18030": 0.3,
    "big5": 0.25,
    "shift_jis": 0.35,
    "euc_jp": 0.35,
    "euc_kr": 0.7,
    "cp1251": 0.6,
    "koi8_r": 0.6,
}


def _plausibility(head: bytes, codec: str, complete: bool) -> float:
    """How far the characters that `codec` gives are those of running text in its language; 1 = as expected."""
    text = _decode(head[: 1 << 18], codec, complete and len(head) <= 1 << 18)
    wide = [c for c in text if c > "\x7f"]
    if not wide:
        return 0.0
    broken = sum("\udc80" <= c <= "\udcff" or "\ue000" <= c <= "\uf8ff" for c in wide) / len(wide)
    common = len(_COMMON[codec].findall(text)) / len(wide)
    return common / _EXPECTED[codec] - 10 * broken
