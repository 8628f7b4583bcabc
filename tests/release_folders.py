"""Folders of releases for tests: written as `shoal run` writes them, and edited as somebody else would."""

import json

from shoal.promises.folder import digests, recipient_note, write_release

__all__ = ["certificate_of", "told_again", "with_certificate", "write_release"]


def certificate_of(folder):
    """The certificate as JSON."""
    return json.loads((folder / "certificate.json").read_text(encoding="utf-8"))


def with_certificate(folder, change):
    """Change the certificate in place."""
    said = certificate_of(folder)
    change(said)
    (folder / "certificate.json").write_text(json.dumps(said), encoding="utf-8")


def told_again(folder):
    """Make the README and the digests agree with the certificate and the files, as somebody careful would."""
    from shoal.promises.certificate import Certificate

    certificate = Certificate.load(folder / "certificate.json")
    form = "csv" if (folder / "data.csv").exists() else "parquet"
    (folder / "README.md").write_bytes(recipient_note(certificate, form).encode())
    names = sorted(path for path in folder.iterdir() if path.name not in ("certificate.json", "certificate.sig"))
    with_certificate(folder, lambda said: said.update(files=digests(names)))
