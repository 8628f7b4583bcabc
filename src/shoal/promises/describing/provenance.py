"""Where a release comes from, as PROV-JSON: what was made, by what, by whom, and from something that is not named.

Specification: W3C PROV-DM; The PROV-JSON Serialization (W3C member submission, 2013). Of the original nothing is said
but that there was one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from shoal.promises.certificate import CERTIFICATE, Certificate

_PREFIXES = {"release": "urn:shoal:release:", "shoal": "urn:shoal:terms:"}


def provenance(certificate: Certificate, digests: Mapping[str, str]) -> dict[str, Any]:
    """Entities, the activity that made them, and agents."""
    about, made = certificate.about, "release:anonymization"
    files: dict[str, dict[str, Any]] = {
        f"release:{name}": {"prov:label": name, "shoal:digest": digest} for name, digest in digests.items()
    }
    files[f"release:{CERTIFICATE}"] = {"prov:label": CERTIFICATE, "shoal:promises": list(certificate.promised)}
    software = {
        "prov:type": {"$": "prov:SoftwareAgent", "type": "prov:QUALIFIED_NAME"},
        "prov:label": f"Shoal {certificate.version}",
    }
    owner = {"release:owner": {"prov:label": about.owner, **_contact(about.contact)}} if about.owner else {}
    parameters = json.dumps(dict(certificate.parameters), ensure_ascii=False, allow_nan=False)
    activity = {"prov:label": f"anonymized with {certificate.method}", "shoal:parameters": parameters}
    if certificate.date:
        activity["shoal:day"] = certificate.date
    return {
        "prefix": _PREFIXES,
        "entity": {"release:original": {"prov:label": "the original table, which is not published"}, **files},
        "activity": {made: activity},
        "agent": {"release:shoal": software, **owner},
        "used": {"_:used": {"prov:activity": made, "prov:entity": "release:original"}},
        "wasGeneratedBy": {
            f"_:made{number}": {"prov:entity": name, "prov:activity": made} for number, name in enumerate(files)
        },
        "wasAssociatedWith": {
            f"_:by{number}": {"prov:activity": made, "prov:agent": name}
            for number, name in enumerate(["release:shoal", *owner])
        },
        **(
            {
                "wasAttributedTo": {
                    f"_:of{number}": {"prov:entity": name, "prov:agent": "release:owner"}
                    for number, name in enumerate(files)
                }
            }
            if owner
            else {}
        ),
    }


def _contact(contact: str) -> dict[str, str]:
    return {"shoal:contact": contact} if contact else {}
