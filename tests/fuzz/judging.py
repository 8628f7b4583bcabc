"""What no run may do, whatever it is given."""

import os
import re
import shutil
from pathlib import Path

from bases import SECRET

LONGEST = 500
INTERNAL = "failed where it should not"


def faults(folder, code, before, *, is_published=False):
    """What is wrong with a run that has ended, in words; nothing if it was as it should be.

    Args:
        folder: Where it ran; what it said is in `stdout` and `stderr`.
        code: How it ended, as the system says.
        before: The names that stood in the folder before.
        is_published: Whether a release may stand there already.
    """
    printed = (folder / "stdout").read_text(encoding="utf-8", errors="replace")
    errors = (folder / "stderr").read_text(encoding="utf-8", errors="replace")
    found = []
    if code < 0:
        found.append(f"killed by signal {-code}")
    elif code not in (0, 1, 2):
        found.append(f"exit code {code}")
    if "Traceback" in errors + printed:
        found.append("a traceback")
    if INTERNAL in errors:
        found.append("an internal error: " + "".join(re.findall(r"\((\w+ in [\w./]+, line \d+)\)", errors)))
    if "Warning" in errors:
        found.append("a warning of a library: " + errors.strip().splitlines()[0][-80:])
    if SECRET in errors or (SECRET in printed and code):
        found.append("a value of a record is told")
    if code and code > 0 and not errors.strip():
        found.append("no word about what is wrong")
    sentences = [line for line in errors.splitlines() if line.strip()]
    if code and any(len(line) > LONGEST for line in sentences):
        found.append(f"a sentence of {max(map(len, sentences))} characters")
    after = {path.name for path in folder.iterdir()} - {"stdout", "stderr"}
    new = after - before
    if code and new - {"books"} and not is_published:
        found.append(f"something was left: {', '.join(sorted(new))[:80]}")
    if hidden := [name for name in new if name.startswith(".")]:
        found.append(f"something hidden was left: {', '.join(sorted(hidden))[:80]}")
    return found


CPU_SECONDS = 30


def load(server, base, folder, *, report=False):
    """Let the server make a sound run itself, so that all later ones find loaded what it needs."""
    base.copied(folder, base.content)
    job = {"job": base.job} if base.job else {}
    server.start(folder, *base.arguments, here=True, load=READERS, report=report, **job)
    server.ended()


READERS = ("fastexcel", "pandas", "pyreadstat", "rdata")
"""What reads files of other programs, which Shoal loads in a process of their own."""


def one_run(server, base, content, folder, *, report=False, **more):
    """Run the command on that content; what was wrong, how it ended, and the seconds of the processor that it took.

    Args:
        server: Where runs are made.
        base: What was sound before.
        content: What the damaged file holds.
        folder: Where to run; it must not exist.
        report: Whether the owner's report is made, too, which takes longer than all the rest.
        more: What else the server is told.
    """
    base.copied(folder, content)
    before = {path.name for path in folder.iterdir()}
    more |= {"job": base.job} if base.job else {}
    server.start(folder, *base.arguments, report=report, cpu_seconds=CPU_SECONDS, **more)
    code, seconds = server.ended()
    found = faults(folder, code, before, is_published="release" in before)
    scratch = Path(os.environ.get("TMPDIR", folder / "none"))
    if left := [path.name for path in scratch.glob("shoal-*")]:
        found.append(f"something was left in the temporary folder: {', '.join(left)[:80]}")
        for name in left:
            shutil.rmtree(scratch / name, ignore_errors=True)
    return found, code, seconds
