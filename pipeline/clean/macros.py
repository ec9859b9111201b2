"""Tables of TeX macros: which are fonts, functions, accents, drops, and what symbols stand for."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import NamedTuple

from pipeline.clean.words import words


class At(NamedTuple):
    """Where a macro stands: its start, where its name ends, how far the reader may read, and whether in a formula."""

    name: str
    start: int
    after: int
    end: int
    math: bool


@cache
def symbols() -> dict[str, str]:
    """Macro name to character, of `data/symbols.tsv` (names of LaTeX, amssymb, textcomp, unicode-math and the W3C list), written as clean text has them."""
    table = resources.files("pipeline.clean").joinpath("data/symbols.tsv").read_text("utf-8")
    return dict(line.split("\t", 1) for line in table.split("\n") if line)


FONTS = words(
    "textbf textit textsl textsc texttt textrm textsf textmd textup textnormal textlf emph text mbox hbox fbox mathrm mathbf "
    "mathit mathsf mathtt mathcal mathfrak mathscr mathnormal bm boldsymbol pmb bold mathbold mathbfit symbf "
    "mathop mathbin mathrel mathord mathopen mathclose underline uline ul sout uwave hl st framebox makebox boxed "
    "textsubscript textsuperscript uppercase lowercase MakeUppercase MakeLowercase ensuremath "
    "title caption section subsection subsubsection paragraph subparagraph chapter keywords centerline leftline url nolinkurl path "
    "num si unit ce ch ac acs acl acf acp gls Gls glspl Ac Acp Gls abstract textquote overbrace underbrace smash cancel "
    "mathds mathbbm Bbb vcenter substack tag em rm bf it"
)
SECTIONS = words("section subsection subsubsection paragraph chapter title caption")
DECLARATIONS = words(
    "em bf it rm sc tt sf sl cal mit normalfont bfseries itshape rmfamily scshape ttfamily sffamily slshape mdseries upshape "
    "tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge boldmath unboldmath displaystyle textstyle "
    "scriptstyle scriptscriptstyle limits nolimits noindent indent centering raggedright raggedleft protect relax null "
    "left right middle big Big bigg Bigg bigl Bigl biggl Biggl bigr Bigr biggr Biggr bigm Bigm biggm Biggm "
    "maketitle newpage clearpage pagebreak bigskip medskip smallskip nonumber notag hfill vfill hline toprule midrule "
    "bottomrule frenchspacing sloppy strut mathstrut allowbreak leavevmode selectfont xspace ignorespaces bgroup egroup "
    "begingroup endgroup nobreak unskip centerdot nolinebreak linewidth textwidth tableofcontents footnotemark displaylimits"
) - {"centerdot"}
SPACES = words("quad qquad enspace enskip thinspace medspace thickspace space nobreakspace hfil")
BREAKS = {"newline": "\n", "linebreak": "\n", "par": "\n\n", "tabularnewline": "\n", "cr": "\n"}
FUNCTIONS = words(
    "log ln lg exp sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan max min sup inf lim limsup liminf arg argmax "
    "argmin det dim ker hom gcd lcm Pr deg mod bmod sgn sign tr Tr diag rank span supp var Var Cov cov softmax sigmoid "
    "polylog poly vol conv KL erf injlim projlim varlimsup varliminf"
)
ABBREVIATIONS = {
    "eg": "e.g.", "ie": "i.e.", "etal": "et al.", "etc": "etc.", "wrt": "w.r.t.", "vs": "vs.", "cf": "cf.", "aka": "a.k.a.",
    "viz": "viz.", "Eg": "E.g.", "Ie": "I.e.", "iid": "i.i.d.", "resp": "resp.", "dof": "d.o.f.", "Cf": "Cf.",
}  # fmt: skip
# Macros whose arguments are dropped: name -> how many; the first word of the reason in the ledger of losses.
DROPPED = {
    "label": (1, "label"), "vspace": (1, "layout"), "hspace": (1, "layout"), "phantom": (1, "layout"), "hphantom": (1, "layout"),
    "vphantom": (1, "layout"), "includegraphics": (1, "layout"), "color": (1, "layout"), "pagestyle": (1, "layout"),
    "thispagestyle": (1, "layout"), "usepackage": (1, "layout"), "documentclass": (1, "layout"), "input": (1, "layout"),
    "include": (1, "layout"), "bibliography": (1, "citation"), "bibliographystyle": (1, "layout"), "setlength": (2, "layout"),
    "rule": (2, "layout"), "fontsize": (2, "layout"), "definecolor": (3, "layout"), "nocite": (1, "citation"),
    "setcounter": (2, "layout"), "addtocounter": (2, "layout"), "hypersetup": (1, "layout"), "cline": (1, "layout"),
    "selectlanguage": (1, "layout"), "index": (1, "layout"), "footnotemark": (0, "layout"), "rowcolor": (1, "layout"),
    "cellcolor": (1, "layout"), "linespread": (1, "layout"), "captionsetup": (1, "layout"), "kern": (0, "layout"),
    "DeclareMathOperator": (2, "definition"), "theoremstyle": (1, "layout"), "newtheorem": (2, "layout"),
}  # fmt: skip
REFERENCES = words("ref eqref autoref cref Cref pageref nameref vref subref")
# Macros with leading arguments that are no text: name -> how many to drop before the one to keep.
SKIP_FIRST = {
    "textcolor": 1, "colorbox": 1, "raisebox": 1, "scalebox": 1, "rotatebox": 1, "resizebox": 2, "parbox": 1, "hyperlink": 1,
    "hypertarget": 1, "multicolumn": 2, "multirow": 2, "foreignlanguage": 1, "fcolorbox": 2, "hyperref": 0, "adjustbox": 1,
    "href": 1, "texorpdfstring": 0, "mathchoice": 0, "reflectbox": 0, "tcbox": 0, "minipage": 1,
}  # fmt: skip
UNITS = {
    "meter": "m", "metre": "m", "second": "s", "gram": "g", "kilogram": "kg", "ampere": "A", "kelvin": "K", "mole": "mol",
    "candela": "cd", "hertz": "Hz", "newton": "N", "pascal": "Pa", "joule": "J", "watt": "W", "coulomb": "C", "volt": "V",
    "farad": "F", "ohm": "Ω", "siemens": "S", "weber": "Wb", "tesla": "T", "henry": "H", "lumen": "lm", "lux": "lx",
    "becquerel": "Bq", "minute": "min", "hour": "h", "day": "d", "degree": "°", "celsius": "°C", "degreeCelsius": "°C",
    "percent": "%", "litre": "l", "liter": "L", "electronvolt": "eV", "decibel": "dB", "bel": "B", "bit": "bit", "byte": "B",
    "kilo": "k", "mega": "M", "giga": "G", "tera": "T", "peta": "P", "milli": "m", "micro": "µ", "nano": "n", "pico": "p",
    "femto": "f", "centi": "c", "deci": "d", "hecto": "h", "kibi": "Ki", "mebi": "Mi", "gibi": "Gi", "tebi": "Ti",
    "per": "/", "square": "", "squared": "^2", "cubed": "^3", "cubic": "", "tonne": "t", "radian": "rad", "arcsecond": "″",
    "arcminute": "′", "angstrom": "Å", "ms": "ms", "us": "µs", "ns": "ns", "km": "km", "cm": "cm", "mm": "mm", "nm": "nm",
    "um": "µm", "kg": "kg", "mg": "mg", "GHz": "GHz", "MHz": "MHz", "kHz": "kHz", "Hz": "Hz", "dB": "dB", "mW": "mW",
    "kW": "kW", "mV": "mV", "V": "V", "A": "A", "K": "K", "s": "s", "m": "m", "g": "g", "J": "J", "W": "W",
}  # fmt: skip
ACCENTS = {
    '"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304", ".": "\u0307", "u": "\u0306",
    "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328", "r": "\u030a", "d": "\u0323", "b": "\u0331", "t": "\u0361",
    "textcommabelow": "\u0326", "G": "\u030f", "newtie": "\u0361",
    "hat": "\u0302", "widehat": "\u0302", "tilde": "\u0303", "widetilde": "\u0303", "Tilde": "\u0303", "Hat": "\u0302",
    "bar": "\u0304", "Bar": "\u0304", "overline": "\u0305", "vec": "\u20d7", "dot": "\u0307", "ddot": "\u0308", "Dot": "\u0307",
    "check": "\u030c", "acute": "\u0301", "grave": "\u0300", "breve": "\u0306", "mathring": "\u030a", "overrightarrow": "\u20d7",
    "underbar": "\u0331", "dddot": "\u20db",
}  # fmt: skip
SPACING_ACCENTS = {
    '"': "¨", "'": "´", "`": "`", "^": "^", "~": "~", "=": "‾", ".": "˙", "u": "˘", "v": "ˇ", "H": "˝", "c": "¸", "k": "˛", "r": "˚",
    "d": ".", "b": "_", "t": "͡", "acute": "´", "check": "ˇ", "ddot": "¨", "dot": "˙", "hat": "^", "tilde": "~", "bar": "¯",
    "breve": "˘", "grave": "`", "mathring": "˚", "vec": "⃗",
}  # fmt: skip
MATH_ENVIRONMENTS = words(
    "equation align gather multline eqnarray displaymath math array matrix pmatrix bmatrix vmatrix Vmatrix Bmatrix smallmatrix "
    "cases aligned gathered split alignat flalign subequations dcases"
)
MATRICES = {
    "pmatrix": ("[ ", " ]"), "bmatrix": ("[ ", " ]"), "matrix": ("[ ", " ]"), "smallmatrix": ("[ ", " ]"), "vmatrix": ("|", "|"),
    "Vmatrix": ("‖", "‖"), "Bmatrix": ("{", "}"), "array": ("", ""), "cases": ("{ ", ""), "dcases": ("{ ", ""),
}  # fmt: skip
ENVIRONMENT_ARGUMENTS = {"tabular": 1, "array": 1, "minipage": 1, "multicols": 1, "tabularx": 2, "thebibliography": 1,
                         "alignat": 1, "subfigure": 1, "wrapfigure": 2}  # fmt: skip
