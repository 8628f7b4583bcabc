"""A desk to work at: a folder with a table, a release file and hierarchies, and the command line in front of it."""

from pathlib import Path

from typer.testing import CliRunner

from shoal.cli.main import app

SECRET = "SECRET123"

NAMES = "name,age,town,day,illness,note"

TOML = """
[data]
path = "people.csv"
person = "row"

[columns.name]
role = "identifier"

[columns.age]
role = "quasi-identifier"
domain = { from = 0, to = 99 }
hierarchy = { intervals = [5, 10, 20] }

[columns.town]
role = "quasi-identifier"
hierarchy = "town.csv"

[columns.day]
role = "quasi-identifier"
domain = { from = 2024-01-01, to = 2024-12-31 }

[columns.illness]
role = "sensitive"
domain = ["flu", "cold", "none"]

[columns.note]
role = "insensitive"
unlinkable = true

[method]
name = "optimal-lattice"
k = 3
"""

TOWNS = """Ulm,south,*
Bonn,west,*
Köln,west,*
"""


def ages_and_illnesses(data, method, columns=""):
    """A release file of ages and illnesses: what stands in [data], below the name of the method, and further tables."""
    return f"""
[data]
{data}

[columns.age]
role = "quasi-identifier"
domain = {{ from = 0, to = 99 }}
hierarchy = {{ intervals = [5, 10, 20] }}

[columns.illness]
role = "sensitive"

{columns}
[method]
name = "optimal-lattice"
suppression_limit = 0.1
{method}
"""


def people(number=60):
    """Records as lines of a CSV file."""
    towns, ills = ("Ulm", "Bonn", "Köln"), ("flu", "cold", "none")
    return [
        f"person-{i},{20 + i % 40},{towns[i % 3]},2024-{1 + i % 3:02}-{1 + i % 28:02},{ills[(i // 3) % 3]},note {i}"
        for i in range(number)
    ]


def listing(folder):
    """Everything in a folder, hidden things too, with the content of files."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
            for path in sorted(Path(folder).rglob("*"))}  # fmt: skip


class Desk:
    """A folder to work in; commands run there."""

    def __init__(self, folder, scratch):
        self.folder, self.scratch = folder, scratch
        self.table()
        self.write("release.toml", TOML)
        self.write("town.csv", TOWNS)

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def table(self, *lines, name="people.csv", encoding="utf-8"):
        """The table: the usual records, then `lines`."""
        return self.write(name, "\n".join([NAMES, *people(), *lines, ""]).encode(encoding))

    def change(self, old, new):
        """Say something else in the release file."""
        text = (self.folder / "release.toml").read_text(encoding="utf-8")
        assert old in text
        return self.write("release.toml", text.replace(old, new))

    def shoal(self, *arguments):
        """Run a command."""
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    def done(self, *arguments):
        """Run a command that must succeed; what it printed."""
        result = self.shoal(*arguments)
        assert result.exit_code == 0, result.output
        return result.stdout

    def refused(self, *arguments, code=1):
        """Run a command that must refuse with one sentence and change nothing; the sentence."""
        before = listing(self.folder)
        result = self.shoal(*(arguments or ("run", "release.toml")))
        assert result.exit_code == code, result.output
        assert result.stdout == ""
        sentence = result.stderr.removeprefix("error: ").removesuffix("\n")
        assert result.stderr == f"error: {sentence}\n"
        assert "\n" not in sentence
        assert sentence.endswith((".", "?"))
        assert "Traceback" not in sentence
        assert "failed where it should not" not in sentence
        assert SECRET not in sentence
        assert listing(self.folder) == before
        assert listing(self.scratch) == {}
        return sentence
