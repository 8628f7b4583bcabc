"""What is sound before it is damaged: small tables in every format, release files of every method, what they publish.

Every table holds names that nobody may ever read outside of it: `SECRET` in each of them.
"""

import json
import random
import shutil
import zipfile
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

SECRET = "Quokkaberg"
ROWS = 60
TOWNS = ("Ulm", "Bonn", "Köln", "Kiel")
ILLS = ("flu", "cold", "gout", "none")

COLUMNS = """
[columns.name]
role = "identifier"

[columns.age]
role = "quasi-identifier"
domain = { from = 0, to = 99 }
hierarchy = { intervals = [5, 20] }

[columns.town]
role = "quasi-identifier"
hierarchy = "town.csv"

[columns.born]
role = "quasi-identifier"
domain = { from = 2024-01-01, to = 2024-12-31 }
hierarchy = { dates = ["month", "year"] }
"""
PRIVATE = """
[columns.income]
role = "quasi-identifier"
domain = { from = 0, to = 20, step = 0.25 }
hierarchy = { intervals = [1, 5] }

[columns.ill]
role = "quasi-identifier"
domain = ["flu", "cold", "gout", "none"]

[budget]
ledger = "books"
"""
OPEN = """
[columns.income]
role = "insensitive"

[columns.ill]
role = "sensitive"
domain = ["flu", "cold", "gout", "none"]
"""
METHODS = {
    "optimal-lattice": (OPEN, "k = 3\nsuppression_limit = 0.5\ndiversity = 2"),
    "ola": (OPEN, "k = 3\nsuppression_limit = 0.5"),
    "mondrian": (OPEN, "k = 3\ndiversity = 2"),
    "local-recoding": (OPEN, "k = 3"),
    "sequential": (OPEN, "k = 3\npasses = 5"),
    "cell-suppression": (OPEN, "k = 2"),
    "nsvdist": (OPEN, "k = 3\ndiversity = 2"),
    "mdav": (OPEN, "k = 3"),
    "pram": (
        OPEN + '\n[budget]\nledger = "books"\n',
        'perturbed = ["ill"]\nepsilon = 3.0\nanonymizer = { name = "ola", k = 2 }',
    ),
    "rank-swapping": (OPEN, 'perturbed = ["age"]\nanonymizer = { name = "mondrian", k = 2 }'),
    "noise": (OPEN, 'perturbed = ["age"]\nanonymizer = { name = "mondrian", k = 2 }\namount = 0.1'),
    "safepub": (PRIVATE, "epsilon = 2.0\ndelta = 0.1\ncandidates = 50"),
    "diffgen": (PRIVATE, 'epsilon = 2.0\ntarget = "ill"\nspecializations = 3'),
    "microaggregation-dp": (PRIVATE, "epsilon = 2.0\nk = 5"),
    "marginals": (PRIVATE, "epsilon = 2.0"),
    "tds": (OPEN, 'k = 3\ntarget = "ill"'),
    "nhaa": (OPEN, "diversity = 2"),
    "pais": (OPEN, 'utility = "discernibility"'),
    "k-epsilon": (
        PRIVATE,
        'epsilon = 2.0\nperturbed = ["age"]\nanonymizer = { name = "ola", k = 2, suppression_limit = 1.0 }',
    ),
}


def table():
    """Sixty people."""
    rng = random.Random(1)
    days = pa.array([19_723 + rng.randrange(366) for _ in range(ROWS)], pa.int32()).cast(pa.date32())
    return pa.table(
        {
            "name": [f"{SECRET} {i}" for i in range(ROWS)],
            "age": pa.array([rng.choice([20, 31, 40, 57, 80]) for _ in range(ROWS)], pa.int64()),
            "town": [rng.choice(TOWNS) for _ in range(ROWS)],
            "born": days,
            "income": pa.array([rng.randrange(80) / 4 for _ in range(ROWS)], pa.float64()),
            "ill": [rng.choice(ILLS) for _ in range(ROWS)],
        }
    )


def release_file(method, data="people.csv"):
    """One that works."""
    columns, parameters = METHODS[method]
    return f'[data]\npath = "{data}"\nperson = "row"\n{COLUMNS}{columns}\n[method]\nname = "{method}"\n{parameters}\n'


HIERARCHY = "town;region;all\nUlm;south;*\nBonn;west;*\nKöln;west;*\nKiel;north;*\n"


@dataclass(frozen=True)
class Base:
    """A folder that is sound, the file in it that is to be damaged, and the command that reads it.

    Attributes:
        kind: What is damaged, in a word.
        damaged: The name of that file.
        arguments: The command, or what a job is given beside the folder.
        job: What the page is to do, if it is no command.
    """

    kind: str
    folder: Path
    damaged: str
    arguments: tuple[str | int | bool, ...]
    job: str = ""

    def copied(self, folder, content):
        """The same with another content of that file."""
        shutil.copytree(self.folder, folder)
        (folder / self.damaged).write_bytes(content)

    @property
    def content(self):
        """What the file holds while it is sound."""
        return (self.folder / self.damaged).read_bytes()


def _folder(where, method, data="people.csv"):
    where.mkdir(parents=True)
    (where / "release.toml").write_text(release_file(method, data), encoding="utf-8")
    (where / "town.csv").write_text(HIERARCHY.replace("town;region;all\n", ""), encoding="utf-8")
    return where


def _of_many_types(people):
    """The same with columns of types that are seldom met."""
    rows = len(people)
    odd = {
        "seen": pa.array([b"a view of more than twelve bytes" if i % 3 else None for i in range(rows)]).cast(
            pa.string_view()
        ),
        "long": pa.array(["x", None, "yy"] * (rows // 3), pa.large_string()),
        "fee": pa.array([Decimal(f"{i % 4}.50") for i in range(rows)], pa.decimal128(9, 2)),
        "is_new": pa.array([i % 2 == 0 for i in range(rows)]),
        "met": pa.array([10**15 + i % 5 * 10**9 for i in range(rows)]).cast(pa.timestamp("us", "UTC")),
        "parts": pa.array([[i % 3, None] for i in range(rows)]),
        "half": pa.array([i % 3 / 2 for i in range(rows)], pa.float32()),
    }
    for name, column in odd.items():
        people = people.append_column(name, column)
    return people


MANY_TYPES = "".join(
    f'\n[columns.{name}]\nrole = "{role}"\n'
    for name, role in {
        "seen": "insensitive",
        "long": "insensitive",
        "fee": "insensitive",
        "is_new": "insensitive",
        "met": "insensitive",
        "parts": "dropped",
        "half": "insensitive",
    }.items()
)


def _written(where, ending):
    """The table in a format, from what can write it here."""
    people = table()
    path = where / f"people.{ending}"
    match ending:
        case "csv":
            pc.write_csv(people, path)
        case "parquet":
            pq.write_table(people, path)
        case "arrow":
            people = people.set_column(2, "town", people["town"].dictionary_encode())
            with pa.ipc.new_file(path, people.schema) as writer:
                writer.write_table(people)
        case "ipc":
            people = _of_many_types(people.set_column(2, "town", people["town"].dictionary_encode()))
            packed = pa.ipc.IpcWriteOptions(compression="lz4")
            with pa.ipc.new_file(path, people.schema, options=packed) as writer:
                writer.write_table(people, max_chunksize=ROWS // 2)
        case "pq":
            people = _of_many_types(people).drop_columns(["seen"])  # Parquet has no views
            pq.write_table(people, path, compression="zstd", row_group_size=ROWS // 2, use_dictionary=["town"])
        case "jsonl":
            rows = people.to_pylist()
            path.write_text("".join(json.dumps(row, default=str) + "\n" for row in rows), encoding="utf-8")
        case "xlsx":
            people.to_pandas().to_excel(path, index=False)
        case "ods":
            _write_ods(people, path)
        case "rds":
            import rdata

            texts = dict.fromkeys(("name", "town", "born", "ill"), object)  # as rdata knows them
            rdata.write_rds(path, people.to_pandas().astype({"born": str}).astype(texts))
        case "xpt":
            import pyreadstat

            pyreadstat.write_xport(people.to_pandas(), str(path))
        case "sav":
            import pyreadstat

            pyreadstat.write_sav(people.to_pandas(), str(path))
        case "dta":
            import pyreadstat

            pyreadstat.write_dta(people.to_pandas(), str(path))
    return path.name


def _write_ods(people, path):
    """The least that is an OpenDocument table: no package that is kept writes them."""
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    rows = [people.column_names, *([str(value) for value in row.values()] for row in people.to_pylist())]
    cells = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="string"><text:p>{cell}</text:p></table:table-cell>' for cell in row
        )
        + "</table:table-row>"
        for row in rows
    )
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {spaces} office:version="1.2"><office:body>'
        f'<office:spreadsheet><table:table table:name="people">{cells}</table:table></office:spreadsheet>'
        "</office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = (
        '<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>'
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", kind)
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", manifest)


def bases(where, server):
    """All of them; what they need of a release is made by the command line."""
    run = ("run", "release.toml", "-o", "release", "--force")
    made = []
    for method in METHODS:
        folder = _folder(where / f"toml-{method}", method)
        _written(folder, "csv")
        made.append(Base("release file", folder, "release.toml", run))
    for method in ("mondrian", "safepub"):
        for ending in ("csv", "parquet", "arrow", "xlsx", "sav", "dta", "jsonl", "ods", "xpt", "rds"):
            if (method, ending) == ("safepub", "jsonl"):
                continue  # refused by its ending
            folder = _folder(where / f"{ending}-{method}", method, f"people.{ending}")
            made.append(Base(ending, folder, _written(folder, ending), run))
            if method == "mondrian":
                made.append(
                    Base(f"{ending}, init", folder, f"people.{ending}", ("init", f"people.{ending}", "-o", "i.toml"))
                )
    for ending in ("ipc", "pq"):
        folder = _folder(where / f"{ending}-types", "mondrian", f"people.{ending}")
        columns = MANY_TYPES if ending == "ipc" else MANY_TYPES.replace('[columns.seen]\nrole = "insensitive"\n', "")
        with (folder / "release.toml").open("a", encoding="utf-8") as file:
            file.write(columns)
        made.append(Base("many types", folder, _written(folder, ending), run))
    folder = where / "described"
    folder.mkdir(parents=True)
    _written(folder, "csv")
    for name, text in DESCRIPTIONS.items():
        (folder / name).write_text(text, encoding="utf-8")
        made.append(Base("description", folder, name, ("init", "people.csv", "--metadata", name, "-o", "i.toml")))
    folder = _folder(where / "hierarchy", "optimal-lattice")
    _written(folder, "csv")
    made.append(Base("hierarchy", folder, "town.csv", run))
    for method in ("mondrian", "safepub", "mdav"):
        folder = _folder(where / f"published-{method}", method)
        _written(folder, "csv")
        server.start(folder, *run, report=False)
        assert server.code() == 0, (folder / "stderr").read_text()
        made.append(Base("certificate", folder, "release/certificate.json", ("check", "release")))
        made.append(Base("published table", folder, "release/data.csv", ("check", "release")))
        if method == "safepub":
            ledger = next((folder / "books").glob("*.sqlite*"), None) or next((folder / "books").glob("*.db"))
            made.append(Base("ledger", folder, f"books/{ledger.name}", ("ledger", "release.toml")))
            made.append(Base("ledger, run", folder, f"books/{ledger.name}", run))
            made.append(Base("ledger's key", folder, "books/ledger.key", run))
    for method in ("mondrian", "safepub"):
        folder = _folder(where / f"page-{method}", method)
        _written(folder, "csv")
        for job, *arguments in JOBS:
            made.append(Base("page's form", folder, "release.toml", tuple(arguments), job))
        made.append(Base("page's table", folder, "people.csv", ("people.csv", {}), "look"))
    made.append(Base("page's form", where / "page-safepub", "release.toml", (100,), "stand-in"))
    return made


DESCRIPTIONS = {
    "datapackage.json": json.dumps(
        {
            "resources": [
                {
                    "name": "people",
                    "path": "people.csv",
                    "encoding": "utf-8",
                    "dialect": {"delimiter": ",", "header": True},
                    "schema": {
                        "missingValues": ["", "NA"],
                        "primaryKey": "name",
                        "fields": [
                            {"name": "name", "type": "string", "title": "Name"},
                            {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}},
                            {"name": "town", "type": "string", "constraints": {"enum": [*TOWNS]}},
                            {
                                "name": "born",
                                "type": "date",
                                "format": "%Y-%m-%d",
                                "constraints": {"minimum": "2024-01-01", "maximum": "2024-12-31"},
                            },
                            {"name": "income", "type": "number", "decimalChar": ".", "groupChar": "'"},
                            {"name": "ill", "type": "string", "constraints": {"enum": [*ILLS], "required": True}},
                        ],
                    },
                }
            ]
        },
        indent=1,
    ),
    "people.csv-metadata.json": json.dumps(
        {
            "@context": "http://www.w3.org/ns/csvw",
            "url": "people.csv",
            "dialect": {"delimiter": ",", "encoding": "utf-8"},
            "tableSchema": {
                "primaryKey": "name",
                "columns": [
                    {"name": "name", "titles": ["name"], "datatype": "string"},
                    {"titles": "age", "datatype": {"base": "integer", "minimum": "0", "maximum": "99"}},
                    {"titles": {"de": "town"}, "datatype": {"base": "string", "format": "Ulm|Bonn|Köln|Kiel"}},
                    {
                        "titles": "born",
                        "datatype": {"base": "date", "minInclusive": "2024-01-01", "maxInclusive": "2024-12-31"},
                    },
                    {"titles": "income", "datatype": "decimal", "null": ["", "-"]},
                    {"titles": "ill", "null": "NA"},
                ],
            },
        },
        indent=1,
    ),
    "codebook.xml": """<?xml version="1.0" encoding="UTF-8"?>
<codeBook version="2.5" xmlns="ddi:codebook:2_5"><dataDscr>
<var name="age"><labl>Age</labl><valrng><range min="0" max="99"/></valrng><varFormat type="numeric"/></var>
<var name="town"><labl>Town</labl>
<catgry><catValu>Ulm</catValu><labl>Ulm</labl></catgry><catgry><catValu>Bonn</catValu></catgry>
<catgry><catValu>Köln</catValu></catgry><catgry missing="Y"><catValu>Kiel</catValu></catgry></var>
<var name="born" intrvl="contin"><varFormat type="character" category="date">date</varFormat></var>
<var name="ill"><catgry><catValu>flu</catValu></catgry><catgry><catValu>cold</catValu></catgry></var>
</dataDscr></codeBook>
""",
}
"""What is said about the table, as Frictionless, CSVW and DDI say it."""

JOBS = (
    ("check",),
    ("hierarchy", "town"),
    ("hierarchy rows", "age"),
    ("groups", "town"),
    ("run", "release", False),
    ("original rows", 0),
)
"""What the page does with what is filled in, which is a release file."""
