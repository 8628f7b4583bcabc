"""A release that was made is signed afterwards as `shoal run --sign` would have; keys are named by whole paths."""

from pathlib import Path

import pytest

from shoal.errors import OutputError, ParameterError
from shoal.examples import write_example
from shoal.progress import silent
from shoal.promises.signing import fingerprint, public_key, require_signed
from shoal.running.publishing import publish_to
from shoal.serve.work.signing import make_key, sign

pytest.importorskip("cryptography")


def test_a_key_is_made_and_signs(tmp_path):
    _, where = publish_to(write_example(tmp_path), tmp_path / "out", force=False)
    key = tmp_path / "office.key"
    made = make_key(str(key), "a word", progress=silent)
    with pytest.raises(OutputError, match="never overwritten"):
        make_key(str(key), "", progress=silent)
    with pytest.raises(ParameterError, match="has a passphrase"):
        sign(str(where), str(key), "", progress=silent)
    with pytest.raises(ParameterError, match="its passphrase is another"):
        sign(str(where), str(key), "another", progress=silent)
    signed = sign(str(where), str(key), "a word", progress=silent)
    public = public_key(Path(made["public"]))
    assert signed["fingerprint"] == made["fingerprint"] == fingerprint(public)
    assert "certificate.sig" in signed["files"]
    content, signature = ((where / name).read_bytes() for name in ("certificate.json", "certificate.sig"))
    require_signed(content, signature, public, where)


@pytest.mark.parametrize("path", ["", "office.key", "keys/office.key"])
def test_a_key_without_a_whole_path_is_refused(path):
    with pytest.raises(ParameterError, match="whole path"):
        make_key(path, "", progress=silent)
