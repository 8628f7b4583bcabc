"""Somebody who reads a page and does what it says: its blocks, and a folder in which they are followed one by one.

A block with a `title` is a file. `python` is run, and a `text` block after it is what it prints; `console` has commands
after `$` and what they answer, in which `...` stands for anything; `sh` has commands with names of the reader's own, of
which every `shoal` must be one that there is.
"""

import contextlib
import doctest
import io
import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

import typer
from typer.testing import CliRunner

from shoal.cli.main import app

FENCE = re.compile(r"^( *)```([^\n`]*)\n(.*?)^\1```$", flags=re.MULTILINE | re.DOTALL)
COMMANDS = typer.main.get_command(app)
Misuse = typer.BadParameter.__base__  # whichever click typer brings along
ANYTHING = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """What stands between two fences."""

    language: str
    title: str | None
    text: str
    line: int


def blocks(page):
    """All blocks of a page, in order."""
    text, found = Path(page).read_text(encoding="utf-8"), []
    for match in FENCE.finditer(text):
        indent, info, inside = match.groups()
        language, _, rest = info.strip().partition(" ")
        title = re.search(r'title="([^"]+)"', rest)
        inside = re.sub(rf"^{indent}", "", inside, flags=re.MULTILINE)
        found.append(Block(language, title and title[1], inside, text[: match.start()].count("\n") + 1))
    return found


def commands(block):
    """The commands of a block of them, a comment behind each left out."""
    lines = block.text.replace("\\\n", " ").splitlines()
    if block.language == "console":
        lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    return [line for line in lines if line.strip() and not line.startswith("#")]


def unknown(command):
    """What of a `shoal` command is not there: it is parsed, and not run."""
    name, *arguments = shlex.split(command, comments=True)[1:]
    found = COMMANDS.commands.get(name)
    if found is None:
        return f"no command {name}"
    if hasattr(found, "commands"):
        found = found.commands.get(arguments.pop(0))
    try:
        with found.make_context(name, arguments, resilient_parsing=False):
            return None
    except Misuse as refusal:
        return refusal.format_message()


class Reader:
    """Who follows a page in the folder that is the current one."""

    def __init__(self, page, scope=None):
        self.page, self.scope, self.code = page, {"__name__": "__page__", **(scope or {})}, 0

    def follow(self):
        shown = blocks(self.page)
        for block, after in zip(shown, [*shown[1:], None], strict=True):
            try:
                self.do(block, after)
            except AssertionError as wrong:
                raise AssertionError(f"{self.page}, line {block.line}: {wrong}") from wrong

    def do(self, block, after):
        if block.title is not None:
            path = Path(block.title)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.language == "python" and ">>>" in block.text:
            self.session(block)
        elif block.language == "python":
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                exec(compile(block.text, f"{self.page}:{block.line}", "exec"), self.scope)
            if after is not None and (after.language, after.title) == ("text", None):
                agrees(after.text, said.getvalue())
        elif block.language == "console":
            for command, answer in re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
                agrees(answer, self.answer(command.replace("\\\n", " ")))

    def session(self, block):
        case = doctest.DocTestParser().get_doctest(block.text, self.scope, self.page.name, str(self.page), block.line)
        said = io.StringIO()
        doctest.DocTestRunner(verbose=False).run(case, out=said.write, clear_globs=False)
        self.scope.update(case.globs)
        assert not said.getvalue(), said.getvalue()

    def answer(self, command):
        """What a command prints. Those of Shoal run in this process, which knows all that it has to load."""
        if command == "echo $?":
            return f"{self.code}\n"
        words = shlex.split(command, comments=True)
        if words[0] == "shoal":
            result = CliRunner().invoke(app, words[1:])
            self.code = result.exit_code
            assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
            return result.output
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        self.code = done.returncode
        return done.stdout + done.stderr


def agrees(told, said):
    checker = doctest.OutputChecker()
    assert checker.check_output(told, said, ANYTHING), f"it says\n{said}\nand not\n{told}"
