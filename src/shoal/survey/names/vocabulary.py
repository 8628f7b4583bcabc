"""Words of column names that point at a person or are known to others, in about a dozen languages.

English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Czech, Swedish, Danish and Norwegian, Turkish,
and some in Cyrillic, Chinese and Japanese. Without accents and in lower case, as `words` writes them.
"""

from __future__ import annotations


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


IDENTIFIERS = _listed("""
    email mail phone telephone mobile cellphone fax ssn sin nin nino nhs nhsnumber mrn ehr npi hicn mbi passport iban
    bic surname lastname firstname forename fullname givenname familyname maidenname middlename username nickname login
    fname lname mname uuid guid ip ipaddress mac url website homepage twitter address street streetname housenumber
    pid patid patientid ptid subjid usubjid subjectid persid personid participantid respondentid respid memberid userid
    customerid clientid studentid employeeid seqn seqno caseid idnum idno recno rowid uid pidp hhidpn pubid persnr pnr
    pernr licence license vin plate fingerprint signature photo medicaid medicare aadhaar ssnr socialsecurity
    telefon handy mobil reisepass strasse anschrift adresse hausnummer vorname nachname familienname zuname geburtsname
    passnummer ausweis steuernummer kundennummer patientennummer personalnummer versichertennummer versicherungsnummer
    matrikelnummer kennzeichen lfdnr kontonummer unterschrift
    nom prenom telephone courriel rue nir numsecu nss numerosecu identifiant
    nombre apellido apellidos telefono correo pasaporte direccion calle dni nif nie curp rfc cedula rut
    nome cognome indirizzo codicefiscale cellulare sobrenome endereco cpf rg celular
    naam voornaam achternaam bsn straat telefoon geboortenaam
    imie nazwisko pesel ulica jmeno prijmeni rodnecislo
    namn fornamn efternamn personnummer fornavn efternavn etternavn cpr fodselsnummer henkilotunnus hetu etunimi
    sukunimi adi soyadi soyadı tckn tckimlik kimlikno
    имя фамилия отчество телефон адрес паспорт снилс инн почта
""")

IDENTIFIER_PHRASES = (
    "social security", "credit card", "card number", "account number", "account no", "case number", "record number",
    "medical record", "phone number", "policy number", "serial number", "insurance number", "member number",
    "numero de telephone", "numero de telefono", "securite sociale", "seguridad social", "first name", "last name",
    "full name", "given name", "family name", "middle name", "maiden name", "mother name", "father name", "user name",
    "spouse name", "guardian name", "doctor name", "physician name", "contact name", "codice fiscale", "e mail",
    "ip address", "mac address", "driver license", "drivers license", "national id", "health card", "nombre completo",
    "rodne cislo", "tc kimlik", "birth name", "screen name", "license plate", "house number",
)  # fmt: skip

IDENTIFIERS_IN = (
    "姓名",
    "名前",
    "氏名",
    "身份证",
    "电话",
    "電話",
    "手机",
    "邮箱",
    "メール",
    "地址",
    "住所",
    "护照",
    "이름",
    "전화",
    "주소",
)
"""Where words are not parted by spaces: anywhere in the name."""

COMMENTS = _listed("""
    comment comments remark remarks freetext narrative kommentar kommentare bemerkung bemerkungen anmerkung anmerkungen
    freitext commentaire commentaires remarque remarques comentario comentarios observaciones commento commenti
    opmerking opmerkingen komentarz komentar kommentarer
""")
"""Say that people wrote what they liked. Not `note`, which is a grade in some languages."""

RUNNING = _listed(
    "unnamed index obs obsno observation rownames rownum rownumber serial seq sequence nr lfd case caseno"
)
"""Say that values number the records, where they are as many."""

NUMBERED_PERSONS = _listed("nr serial case caseno lfd")
"""Say that values number persons, where each has about as many records."""

ID_WORDS = _listed("id ids name names identifier identifiant identificador identificativo kennung identyfikator ident")
"""Point at a person when nothing else is in the name, or with a word for a person."""

NUMBER_WORDS = _listed("number no nr num key code numero nummer numer cislo")
"""Point at a person with a word for a person."""

PERSONS_ALONE = _listed("subject patient participant respondent proband teilnehmer idcode")
"""Point at a person when nothing else is in the name and there are many."""

PERSONS = _listed("""
    patient patients person people customer client user member employee student subject respondent participant case
    record row first last full given family middle maiden kunde mitarbeiter personne persona paciente cliente individual
    insured policyholder applicant borrower account pupil teacher worker voter donor inmate athlete player passenger
    utente dipendente pessoa klant patienten pacjent osoba kund kunden medlem
""")

FILLERS = _listed("""
    fake faker synthetic dummy test anon anonymized hashed hash masked encrypted pseudo original orig old new my the
    unique internal external primary secondary main sys system ext raw
""")
"""Say nothing of what a column holds."""

GIVEN_NAMES = _listed("""
    james john robert michael william david richard joseph thomas charles christopher daniel matthew anthony mark
    donald steven paul andrew joshua kenneth kevin brian george edward ronald timothy jason jeffrey ryan jacob gary
    nicholas eric jonathan stephen larry justin scott brandon benjamin samuel gregory frank alexander patrick jack
    dennis jerry tyler aaron mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy
    betty margaret sandra ashley kimberly emily donna michelle carol amanda dorothy melissa deborah stephanie
    rebecca sharon laura cynthia kathleen amy angela shirley anna brenda pamela emma nicole helen samantha katherine
    christine debra rachel carolyn janet catherine maria heather diane ruth julie olivia joyce virginia victoria
    kelly lauren christina joan evelyn judith alice julia peter hans wolfgang klaus jurgen stefan andreas uwe dieter
    gunter heinz petra sabine monika renate ursula ingrid jean pierre michel philippe alain jacques bernard francois
    claude marie nathalie isabelle sylvie jose antonio manuel francisco juan javier carlos miguel luis jesus carmen
    ana isabel dolores pilar teresa josefa giuseppe giovanni mario luigi francesco giulia joao pedro paulo fernanda
    jan piotr krzysztof andrzej katarzyna lars erik anders karin mohammed muhammad ahmed ali hassan hussein fatima
    aisha omar ibrahim mehmet mustafa ayse wei li ming hiroshi takashi yuki kenji priya raj amit sanjay sunita olga
    sergei ivan dmitri natalia svetlana
""")
"""Common ones: where many values have one of them, values are names of persons."""

MEASURES = _listed("""
    count counts type kind length len has have is flag usage minutes rate share total duration verified domain provider
    available per avg mean median freq frequency changes changed calls plan operator brand model
""")
"""Say that a column is about an identifier, and not one: `phone_type`, `has_email`."""

NOT_PERSONS = _listed("""
    name names surname lastname firstname forename fullname givenname familyname maidenname middlename nickname vorname
    nachname familienname nom prenom nombre apellido apellidos address street strasse anschrift adresse direccion calle
    rue hausnummer ip mac url website vin plate kennzeichen fingerprint signature photo phone telephone telefon telefono
    mobile handy fax email mail correo row record nome cognome naam fname lname mname index unnamed obs
""")
"""Identifiers that several persons may share, or that a person may have several of."""

PARTS_OF_NAMES = _listed("""
    surname lastname firstname forename givenname familyname maidenname middlename vorname nachname familienname prenom
    apellido apellidos cognome fname lname mname
""") | {"first name", "last name", "given name", "family name", "middle name", "maiden name"}
"""What many persons share: that they repeat says nothing of persons with several records."""

HOUSEHOLDS = _listed("""
    hh hhid hhnr hid household householdid haushalt haushaltsid haushaltsnummer haushaltsnr menage foyer hogar famid
    familyid family famille familie familia
""")
HOUSEHOLDS_WITH_ID = _listed("family famille familie familia")
"""Point at a household with a word for an identifier only."""

WEIGHTS = _listed("""
    fnlwgt finalwgt finlwgt pweight pweights fweight perwt hhwt wtfinl wtsupp sampwt sampweight pwgtp wgtp persweight
    surveyweight ponderation hochrechnungsfaktor hochrechnung hochrechnungsgewicht factorexp fexp facexp
""")
WEIGHTS_ALONE = _listed("weight weights wt wgt wght gewicht gewichtung poids peso")
"""Body weights, too, unless the rest of the name speaks of a survey."""
SURVEYS = _listed("""
    survey sample sampling person population pop final design expansion analysis household hh hochrechnung sondage
    sondeo muestra encuesta
""")

QUASI = _listed("""
    age ages sex gender birth birthday birthdate birthyear dob yob zip zipcode postcode postalcode postal plz city town
    village county province district country nation race ethnicity ethnic hispanic marital married marriage education
    educ occupation occup profession industry employer workclass citizenship nationality veteran household
    admission discharge date year lat latitude lon lng longitude
    alter geschlecht wohnort ort stadt bundesland kreis beruf familienstand bildung staatsangehorigkeit postleitzahl
    geburtsdatum geburtstag geburtsjahr nationalitat
    sexe naissance ville metier pays departement commune etatcivil diplome
    edad sexo nacimiento ciudad pais provincia ocupacion profesion educacion municipio escolaridad
    eta sesso nascita comune regione cap professione titolostudio cittadinanza
    idade nascimento cidade municipio profissao escolaridade cep
    leeftijd geslacht geboortedatum woonplaats beroep opleiding
    wiek plec miasto zawod wyksztalcenie wojewodztwo kod vek pohlavi mesto povolani vzdelani
    alder kon fodelsear fodelsedatum postnummer yrke utbildning kommun kjonn uddannelse erhverv
    yas cinsiyet sehir meslek egitim
    возраст пол город рождения профессия образование
""")

WEAK_QUASI = _listed("""
    place location region area state civil degree school job language children dependents relationship height weight
    death land staat estado insurance tenure kids siblings sibsp parch housing nchild grade hospital clinic site ward
    center centre institution
""")
"""The same, unless a word speaks of something delicate: `disease_state`."""

QUASI_STEMS = (
    "geburt", "postc", "postleit", "ethnic", "marital", "occupa", "nationali", "educat", "familienst", "staatsang",
    "naissance", "nacimiento", "municip", "bundesl", "fodelse", "geboorte",
)  # fmt: skip

QUASI_IN = (
    "年龄",
    "年齢",
    "性别",
    "性別",
    "生年月日",
    "出生",
    "邮编",
    "郵便番号",
    "城市",
    "職業",
    "职业",
    "나이",
    "성별",
)

CODES = _listed("zip zipcode postcode postalcode postal plz postleitzahl fips icd code codes")

NOMINAL = _listed("""
    q code codes type kind class category categories cat group cluster status region race ethnicity ethnic religion
    marital occupation occup profession industry sector branch department dept division district state province country
    city nationality language color colour color method cause reason site center centre clinic hospital ward school
    party sex gender arm treatment treatmnt brand model mode segment channel workclass relationship celltype stratum
""")
"""Say that whole numbers name things, and that none is between two others."""

PLACES = _listed("""
    state county city town village district province country region municipality tract fips department departement
    bundesland kreis gemeinde commune municipio provincia comune regione smsa msa hospital clinic employer
    industry occupation occup profession job
""")
"""The same for many numbers: places and trades have thousands."""

AMOUNTS = _listed("""
    age year years month months day days week weeks hour hours minute minutes time times count number num n no score
    scale level grade rating rate rank size height weight length dose visits children kids siblings persons rooms
    education educ income salary price amount total sum mean index order stage degree percent share ratio duration
    bmi steps points item
""")
"""Say that whole numbers count or rank, whatever else is in the name."""

COUNTRIES = _listed("""
    country countries nation nationality citizenship origin birthplace land staat pays pais paese kraj zeme ulke
    nationalitat nationalite nacionalidad iso
""")
STATES = _listed("state states province us usa territory")
DIAGNOSES = _listed("icd diagnosis diagnoses diag dx code disease condition cause diagnose")
INDUSTRIES = _listed("nace isic naics sic industry sector branch activity economic branche wz")
AGES = _listed("age ages alter edad idade eta leeftijd wiek vek alder yas")
BESIDE_AGE = _listed("years yrs in at current")

ALL = IDENTIFIERS | QUASI | WEAK_QUASI | ID_WORDS | NUMBER_WORDS | PERSONS | FILLERS
"""Words that may be written together: `dateofbirth`."""

GLUE = _listed("of at the in status year place control date type code level group day month de la du von der")
"""Words that stand between others, or after them."""
