"""What can go wrong in a run, as exceptions that carry the facts and end with what to do.

    PipelineError
    ├── UsageError            exit 2   wrong arguments or settings
    ├── OutputBusyError       exit 3   another run holds the output
    ├── NothingUsableError    exit 4   no abstract could be read
    ├── RefusedError          exit 5   refused by validation or by the drift gate
    ├── QuarantineLimitError  exit 1   too many records quarantined
    └── OutputError           exit 6   input/output or internal error

Bad data is never an exception: it becomes a row of `quarantine`.
"""

from __future__ import annotations

import re

#: Control characters and lone surrogates, and what is not seen or turns the text around; line ends are not among them.
_UNSEEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\U000e0000-\U000e007f]"
)


def show_unseen(text: str) -> str:
    """`text` with what a terminal would obey, hide or turn around shown instead: names and texts come from strangers.

    >>> show_unseen("red\\x1b[31m"), show_unseen("\\u202egnp.exe")
    ('red\\\\x1b[31m', '\\\\u202egnp.exe')
    """
    return _UNSEEN.sub(lambda m: f"\\x{ord(m[0]):02x}" if ord(m[0]) < 256 else f"\\u{ord(m[0]):04x}", text)


class PipelineError(Exception):
    """A run that cannot go on. `what` happened, and what the person can `do` about it; `facts` for machines."""

    exit_code = 6

    def __init__(self, what: str, do: str, **facts: object) -> None:
        super().__init__(f"{what}\n{do}" if do else what)
        self.what = what
        self.do = do
        self.facts = facts

    def __reduce__(self) -> tuple[type[PipelineError], tuple[str, str], dict[str, object]]:
        """Errors of worker processes travel whole: by default the message alone would be given to `__init__`."""
        return type(self), (self.what, self.do), {"facts": self.facts}


class UsageError(PipelineError):
    """Arguments or settings that make no sense."""

    exit_code = 2


class OutputBusyError(PipelineError):
    """Another run holds the output folder."""

    exit_code = 3


class NothingUsableError(PipelineError):
    """No input could be read, or none held an abstract."""

    exit_code = 4


class RefusedError(PipelineError):
    """Validation or the drift gate refused the release."""

    exit_code = 5


class QuarantineLimitError(PipelineError):
    """More records were quarantined than the settings allow."""

    exit_code = 1


class OutputError(PipelineError):
    """Reading or writing failed, or an internal error."""

    exit_code = 6
