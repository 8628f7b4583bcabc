"""What a column's name says about its role, in English, German, French and Spanish.

A guess for the owner to correct. Whole words count, and stems long enough not to be part of something else.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from enum import Enum

from shoal.data.schema import Role


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


_IDENTIFIER = _listed("""
    email mail phone telephone telefon telefono mobile handy fax ssn sin nin nhs mrn ehr passport reisepass pasaporte
    iban surname lastname firstname forename fullname givenname familyname maidenname middlename username nickname login
    uuid guid ip mac url website address street strasse anschrift adresse direccion calle rue hausnummer vorname
    nachname familienname nom prenom nombre apellido apellidos correo dni nif passnummer steuernummer kundennummer
    pid patid patientid subjid usubjid subjectid persid personid participantid respondentid memberid userid customerid
    clientid studentid employeeid patientennummer personalnummer versichertennummer licence license vin plate
    kennzeichen fingerprint signature photo
""")
_IDENTIFIER_PHRASES = (
    "social security", "credit card", "card number", "account number", "account no", "case number", "record number",
    "medical record", "phone number", "policy number", "serial number", "insurance number", "member number",
    "numero de telephone", "numero de telefono", "securite sociale", "seguridad social",
)  # fmt: skip

_ID_WORDS = _listed("id ids name names identifier identifiant identificador kennung")
"""Point at a person when nothing else is in the name, or with a word for a person."""
_NUMBER_WORDS = _listed("number no nr num key code")
"""Point at a person with a word for a person."""
_PERSON_ALONE = _listed("subject patient participant respondent proband teilnehmer")
"""Point at a person when nothing else is in the name and there are many."""
_PERSON = _listed("""
    patient patients person people customer client user member employee student subject respondent participant case
    record row first last full given family middle maiden kunde mitarbeiter personne persona paciente cliente individual
""")

_NO_PERSON = _listed("""
    name names surname lastname firstname forename fullname givenname familyname maidenname middlename nickname vorname
    nachname familienname nom prenom nombre apellido apellidos address street strasse anschrift adresse direccion calle
    rue hausnummer ip mac url website vin plate kennzeichen fingerprint signature photo phone telephone telefon telefono
    mobile handy fax email mail correo row record
""")
"""Identifiers that several persons may share, or that a person may have several of."""
_HOUSEHOLD = _listed("""
    hh hhid hhnr hid household householdid haushalt haushaltsid haushaltsnummer haushaltsnr menage foyer hogar famid
    familyid family famille familie familia
""")
_HOUSEHOLD_WITH_ID = _listed("family famille familie familia")
"""Point at a household with a word for an identifier only."""
_WEIGHT = _listed("""
    fnlwgt finalwgt finlwgt pweight pweights fweight perwt hhwt wtfinl wtsupp sampwt sampweight pwgtp wgtp persweight
    surveyweight ponderation hochrechnungsfaktor hochrechnung hochrechnungsgewicht factorexp fexp facexp
""")
_WEIGHT_ALONE = _listed("weight weights wt wgt wght gewicht gewichtung poids peso")
"""Body weights, too, unless the rest of the name speaks of a survey."""
_SURVEY = _listed("""
    survey sample sampling person population pop final design expansion analysis household hh hochrechnung sondage
    sondeo muestra encuesta
""")

_SENSITIVE = _listed("""
    icd disease illness sickness condition symptom symptoms hiv aids cancer drug drugs medication medicine therapy dsm
    treatment prescription income incomes salary wage wages earnings earning pay payroll debt debts loan loans credit
    savings wealth assets benefits religion religious faith belief crime offense offence conviction arrest abortion
    alcohol mental psychiatric genetic genome genotype orientation vote voting politics einkommen gehalt lohn schulden
    vermogen krankheit erkrankung medikament revenu revenus salaire maladie traitement ingreso ingresos salario sueldo
    renta enfermedad tratamiento konfession glaube
""")
_SENSITIVE_STEMS = (
    "diagno", "disabilit", "handicap", "behinder", "pregnan", "schwanger", "religi", "politi", "addict", "sexual",
    "medicat", "krankheit", "einkommen", "mortal", "toxic", "psych",
)  # fmt: skip

_QUASI = _listed("""
    age ages sex gender birth birthday birthdate birthyear dob yob zip zipcode postcode postalcode postal plz city town
    village place location region area county state province district country nation race ethnicity ethnic hispanic
    marital married marriage civil education educ degree school occupation job profession industry employer workclass
    citizenship nationality language veteran household children dependents relationship height weight admission death
    discharge date year alter geschlecht wohnort ort stadt bundesland kreis land beruf familienstand bildung staat
    staatsangehorigkeit postleitzahl sexe naissance ville metier pays departement edad sexo nacimiento ciudad pais
    provincia ocupacion profesion educacion estado lat latitude lon longitude insurance
""")
_QUASI_STEMS = (
    "birth", "geburt", "zipcode", "postc", "postal", "postleit", "ethnic", "marital", "occupa", "nationali", "educat",
    "familienst", "staatsang", "naissance", "nacimiento", "municip", "bundesl",
)  # fmt: skip

_CODES = _listed("zip zipcode postcode postalcode postal plz postleitzahl fips icd code codes")


def words(name: str) -> list[str]:
    """`Date_of-birthYear` as date, of, birth, year: lower case, without accents or digits.

    Example:
        >>> words("PatientID"), words("Código postal"), words("zip5")
        (['patient', 'id'], ['codigo', 'postal'], ['zip'])
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", plain)
    return re.findall(r"[^\W\d_]+", parted.casefold())


class Named(Enum):
    """Whether a name says something."""

    NOT = 0
    PERHAPS = 1
    PLAINLY = 2


def person_name(name: str) -> bool:
    """Whether a name is that of what tells persons apart: an identifier of persons, and not their name or phone."""
    parts = set(words(name))
    is_known = bool(parts & _IDENTIFIER) or _points_at_person(parts) or is_person_word(name)
    return is_known and not parts & _NO_PERSON and not household_name(name)


def is_person_word(name: str) -> bool:
    """Whether a name is one word for a person: `Subject`."""
    parts = words(name)
    return len(parts) == 1 and parts[0] in _PERSON_ALONE


def household_name(name: str) -> bool:
    """Whether a name is that of what tells households apart."""
    parts = set(words(name))
    rest = parts - _HOUSEHOLD
    if not parts & _HOUSEHOLD or rest - _ID_WORDS - _NUMBER_WORDS:
        return False
    return bool(rest) or not parts <= _HOUSEHOLD_WITH_ID


def weight_name(name: str) -> Named:
    """Whether a name is that of survey weights."""
    parts = set(words(name))
    if parts & _WEIGHT or (parts & _WEIGHT_ALONE and parts & _SURVEY):
        return Named.PLAINLY if not parts - _WEIGHT - _WEIGHT_ALONE - _SURVEY else Named.NOT
    return Named.PERHAPS if parts and parts <= _WEIGHT_ALONE else Named.NOT


def is_code_name(name: str) -> bool:
    """Whether a name says that its values are codes whose first characters mean most, such as zip codes."""
    return not _CODES.isdisjoint(words(name))


def role_by_name(name: str) -> tuple[Role, str] | None:
    """The role a name suggests and the word that does; None if it says nothing.

    A name that suggests both a quasi-identifier and a sensitive value, such as `age_at_diagnosis`, is taken for the
    former: that one is generalized, the latter published as it is.
    """
    parts = words(name)
    joined = " ".join(parts)
    phrase = next((phrase for phrase in _IDENTIFIER_PHRASES if phrase in joined), None)
    if found := phrase or _first(parts, _IDENTIFIER):
        return Role.IDENTIFIER, found
    if parts and _points_at_person(set(parts)):
        return Role.IDENTIFIER, joined
    if found := _first(parts, _QUASI, _QUASI_STEMS):
        return Role.QUASI_IDENTIFIER, found
    if found := _first(parts, _SENSITIVE, _SENSITIVE_STEMS):
        return Role.SENSITIVE, found
    return None


def _points_at_person(parts: set[str]) -> bool:
    rest = parts - _ID_WORDS - _PERSON
    return (bool(parts & _ID_WORDS) and not rest) or (bool(parts & _PERSON) and bool(rest) and rest <= _NUMBER_WORDS)


def _first(parts: list[str], known: Collection[str], stems: tuple[str, ...] = ()) -> str | None:
    return next((word for word in parts if word in known or any(map(word.startswith, stems))), None)
