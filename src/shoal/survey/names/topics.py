"""What nobody should learn about a person, by topic: words of column names, and who says that the topic is delicate.

The topics are those of laws, not of taste; the words are ours. Race and ethnic origin, which Art. 9 GDPR names too, are
not here: neighbors know them, so they are quasi-identifiers, which are made coarser.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic: its name, who says that it is delicate, whole words, and beginnings of words."""

    name: str
    source: str
    words: frozenset[str]
    stems: tuple[str, ...] = ()


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


HEALTH = "health"

TOPICS: tuple[Topic, ...] = (
    Topic(
        HEALTH,
        "Art. 9 GDPR; HIPAA, 45 CFR 160.103",
        _listed("""
            health disease diseases illness sickness ill sick condition conditions symptom symptoms complaint infection
            infected hiv aids covid sars hepatitis tuberculosis tb malaria cancer tumor tumour carcinoma melanoma
            leukemia lymphoma metastasis metastases nodes histology stroke infarct infarction chd cvd copd ckd esrd
            angina hypertension hypertensive htn diabetes diabetic asthma arthritis epilepsy dementia alzheimer
            parkinson anemia anaemia sepsis shock pneumonia fracture injury wound pain surgery surgical operation
            transplant biopsy chemo chemotherapy radiation radiotherapy relapse remission recurrence comorbidity
            comorbidities icd drg cpt drug drugs medication medications medicine therapy therapies treatment treatments
            treated prescription dose dosage vaccine vaccinated vaccination immunization hospitalized admitted icu
            mental psychiatric depression depressed depressive anxiety suicide suicidal schizophrenia bipolar autism
            adhd ptsd dsm hysterectomy abortion pregnant fertility infertility menopause menopausal menarche parity
            gravida gestation birthcontrol contraceptive contraception contraceptives handicapped impaired impairment
            blind deaf bmi obesity obese overweight bp sbp dbp systolic diastolic trestbps pulse heartrate
            cholesterol chol hdl ldl triglycerides trig glucose insulin hb hba glyhb creatinine creat gfr egfr
            bilirubin bili albumin alp alkphos platelet platelets hemoglobin haemoglobin hgb wbc rbc
            hematocrit lymphocytes neutrophils crp troponin ferritin urea bun sodium potassium psa biomarker biomarkers
            edema oedema ascites phosphatase prothrombin staging celltype survival survived died dead survtime deceased
            ecg ekg ecog karnofsky karno nyha apache ejection spo saturation biochem fasting blood plasma serum
            gesundheit krankheit erkrankung diagnose befund blutdruck blutzucker medikament medikamente behandlung
            therapie operation krebs maladie traitement sante tension glycemie enfermedad tratamiento salud presion
            malattia salute cura doenca saude ziekte gezondheid choroba zdrowie sjukdom sygdom nemoc hastalik
        """),
        (
            "diagno",
            "disabilit",
            "handicap",
            "behinder",
            "pregnan",
            "schwanger",
            "medicat",
            "medikament",
            "krankheit",
            "erkrank",
            "mortalit",
            "morbid",
            "toxic",
            "psychi",
            "psycho",
            "hospitali",
            "cardio",
            "infect",
            "cholester",
            "hyperten",
            "hepat",
            "histol",
            "hlth",
            "disea",
            "hypoten",
            "carcino",
            "oncolog",
            "patholog",
            "symptom",
            "syndrom",
            "allerg",
            "therap",
        ),
    ),
    Topic(
        "test results",
        "HIPAA, 45 CFR 160.103; FERPA, 20 USC 1232g",
        _listed("""
            result results outcome finding findings labresult seropositive iq gpa exam exams grades
            marks testscore befunde resultat resultado esito
        """),
    ),
    Topic(
        "genes and body marks",
        "Art. 9 GDPR; GINA, 42 USC 2000ff",
        _listed("genetic genetics genome genotype allele alleles mutation brca apoe snp dna rna karyotype biometric"),
        ("genetic", "genom", "genoty", "biometr"),
    ),
    Topic(
        "sexual life and orientation",
        "Art. 9 GDPR",
        _listed("""
            orientation gay lesbian bisexual homosexual heterosexual lgbt lgbtq transgender intercourse affair affairs
            extramarital nbaffairs prostitution condom condoms
        """),
        ("sexual", "homosex", "orientac"),
    ),
    Topic(
        "religion and belief",
        "Art. 9 GDPR",
        _listed("""
            religion religious religiousness faith belief beliefs church denomination catholic protestant muslim jewish
            hindu buddhist atheist glaube konfession kirche religione religiao religie religia religioso culto iglesia
        """),
        ("religi",),
    ),
    Topic(
        "politics and unions",
        "Art. 9 GDPR",
        _listed("""
            vote voted votes voting voter politics political ideology ideological party partyid democrat republican
            liberal conservative union unionized tradeunion gewerkschaft partei syndicat parti sindicato partido
        """),
        ("politi", "ideolog"),
    ),
    Topic(
        "crime and justice",
        "Art. 10 GDPR",
        _listed("""
            crime crimes criminal offense offence offenses offences offender conviction convictions convicted arrest
            arrests arrested prison jail jailed incarcerated inmate parole paro probation sentence sentenced prio priors
            recidivism recidivist felony misdemeanor guilty verdict delinquent delinquency victim victimization abuse
            abused assault violence violent rape straftat vorstrafe haft urteil delit peine delito condena reato
        """),
        ("recidiv", "criminal", "convict"),
    ),
    Topic(
        "addiction",
        "42 CFR Part 2",
        _listed("""
            alcohol alcoholic alcoholism drinking drinks drinker beer liquor smoke smoker smokes smoking smoked tobacco
            cigarette cigarettes cannabis marijuana cocaine heroin opioid opioids gambling overdose rauchen raucher
            alkohol tabac tabaco fumador fumeur
        """),
        ("addict", "alkohol", "alcohol"),
    ),
    Topic(
        "money",
        "GLBA, 15 USC 6809; confidential in statistics by custom",
        _listed("""
            income incomes salary salaries wage wages earnings earning earn earned pay payroll debt debts loan loans
            credit creditscore fico mortgage default defaulted bankruptcy bankrupt savings saving wealth networth asset
            assets benefits welfare pension pensions poverty alimony balance expenditure expenses spending tax taxes
             charges charge charged claim claims revenue lohn gehalt einkommen schulden
            vermogen rente steuer steuern kredit revenu revenus salaire dette dettes impot impots ingreso ingresos
            salario sueldo renta deuda reddito stipendio renda divida inkomen schuld dochod zarobki
            inkomst indkomst inntekt tulot prijem gelir maas
        """),
        ("einkommen", "gehalt", "salari", "earning"),
    ),
)

AMONG_HEALTH = _listed("""
    trt treat arm event events status outcome stage time futime censor censored censoring copper protime alk phos ast
    alt alb cd mi spiders grade hist histol size loss wt prior diagtime positive negative response tstage nstage
    lesion lesions rx cens censors tsize tgrade pnodes glu menostat
""")
"""Words that speak of health where other columns of the table do."""

PHRASES: dict[str, str] = {
    "birth control": "health",
    "blood pressure": "health",
    "blood group": "health",
    "blood type": "health",
    "heart rate": "health",
    "health status": "health",
    "sick leave": "health",
    "sex life": "sexual life and orientation",
    "sex partners": "sexual life and orientation",
    "sexual orientation": "sexual life and orientation",
    "criminal record": "crime and justice",
    "test result": "test results",
    "test score": "test results",
    "net worth": "money",
    "capital gain": "money",
    "capital gains": "money",
    "capital loss": "money",
    "credit history": "money",
    "credit score": "money",
    "marital satisfaction": "sexual life and orientation",
    "rate marriage": "sexual life and orientation",
}
"""Words that mean something together which neither means alone."""


def topic_named(name: str) -> Topic:
    """The topic called so."""
    return next(topic for topic in TOPICS if topic.name == name)
