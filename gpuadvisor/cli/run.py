"""Running a verb so that whatever happens ends in an exit code and a sentence, not a traceback."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuadvisor.evidence import UnreadableInput

OK, FINDINGS, USAGE, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 130


class UsageError(Exception):
    """A wrong argument; `hint` is the next step. Ends in exit code 2."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def guarded(args: argparse.Namespace) -> int:
    """Run `args.module` and turn every way it can end into an exit code."""
    try:
        code: int = args.module.run(args)
        sys.stdout.flush()
    except UsageError as error:
        complain(str(error), error.hint)
        return USAGE
    except BrokenPipeError:
        # The reader (head, a pager) has what it wanted. Python flushes stdout once more when it
        # exits and would complain then: give it somewhere to flush to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        unreadable = _as_unreadable(error)
        if unreadable is not None:
            complain(f"{unreadable.path}: {unreadable.reason}", unreadable.hint)
            return USAGE
        if _is_rule_error(error):
            complain(str(error), "`gpuadvisor rules validate` checks a folder of rules")
            return USAGE
        return _internal(error, debug=args.debug)
    return code


def _as_unreadable(error: Exception) -> UnreadableInput | None:
    # Looked up only now: it comes with numpy, which the language server must not wait for.
    from gpuadvisor.evidence import UnreadableInput

    return error if isinstance(error, UnreadableInput) else None


def _is_rule_error(error: Exception) -> bool:
    # Looked up only now: the commands that use no rules need not load them.
    from gpuadvisor.rules.errors import RuleError

    return isinstance(error, RuleError)


def complain(message: str, hint: str = "") -> None:
    """Say what is wrong and what to do about it on stderr; both may quote a file's content."""
    from gpuadvisor.render.escape import visible

    print(f"gpuadvisor: {visible(message)}", file=sys.stderr)
    if hint:
        print(f"  {visible(hint)}", file=sys.stderr)


def _internal(error: Exception, *, debug: bool) -> int:
    if debug:
        import traceback

        traceback.print_exc()
    where = ""
    if error.__traceback__ is not None:
        last = error.__traceback__
        while last.tb_next is not None:
            last = last.tb_next
        code = last.tb_frame.f_code
        where = f" at {os.path.basename(code.co_filename)}:{last.tb_lineno} ({code.co_name})"
    complain(
        f"internal error: {type(error).__name__}: {error}{where}",
        "this is a fault of gpuadvisor: please report it with this command and the output of "
        "the same command with --debug",
    )
    return INTERNAL
