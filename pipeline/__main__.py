"""`python -m pipeline` and the command `abstracts`."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line in a process of its own; returns the exit code."""
    from pipeline.process import end_quickly, start_quickly

    start_quickly()
    from pipeline.cli import main as run_command

    try:
        return run_command()
    finally:
        end_quickly()


if __name__ == "__main__":
    sys.exit(main())
