"""b2c.jose and the package jwcrypto read each other's keys, signatures and encrypted texts.

Usage: tokens.py PATH_OF_B2C_RUN
"""

import json
import os
import subprocess
import sys
import tempfile

from jwcrypto import jwe, jwk, jws

SCRIPT = """
local b2c = require "b2c"
local jose, json = b2c.jose, b2c.json
local file <close> = assert(io.open "cases.json")
local answers = {}
for index, case in ipairs(json.decode(file:read "a")) do
  local key = jose.key.load(case.pem or case.key)
  assert(jose.key.thumbprint(key) == case.thumbprint, case.alg)
  if case.enc then
    assert(jose.decrypt(case.token, key).sub == "alice", case.alg)
    answers[index] = jose.encrypt({ sub = "alice" }, key, { alg = case.alg, enc = case.enc }):reveal()
  else
    assert(jose.verify(case.token, key, { algorithms = case.alg }).sub == "alice", case.alg)
    answers[index] = jose.sign({ sub = "alice" }, key, { alg = case.alg }):reveal()
  end
end
print(json.encode(answers))
"""

RSA = {"kty": "RSA", "size": 2048}
SIGNATURES = {
    "ES256": {"kty": "EC", "crv": "P-256"},
    "ES384": {"kty": "EC", "crv": "P-384"},
    "ES512": {"kty": "EC", "crv": "P-521"},
    "EdDSA": {"kty": "OKP", "crv": "Ed25519"},
    **{name + bits: RSA for name in ("RS", "PS") for bits in ("256", "384", "512")},
    **{"HS" + bits: {"kty": "oct", "size": int(bits)} for bits in ("256", "384", "512")},
}
CONTENT_BITS = {"A128GCM": 128, "A256GCM": 256, "A128CBC-HS256": 256, "A256CBC-HS512": 512}
ENCRYPTIONS = {
    "RSA-OAEP": RSA,
    "RSA-OAEP-256": RSA,
    "ECDH-ES": {"kty": "EC", "crv": "P-256"},
    "ECDH-ES+A128KW": {"kty": "EC", "crv": "P-384"},
    "ECDH-ES+A256KW": {"kty": "EC", "crv": "P-521"},
    "dir": {"kty": "oct"},
}
CLAIMS = json.dumps({"sub": "alice"})


def described(key, **members):
    """Returns a case: the key as a JSON Web Key, and as PEM if it has that form."""
    case = {"key": json.loads(key.export()), "thumbprint": key.thumbprint(), **members}
    if key["kty"] != "oct":
        case["pem"] = key.export_to_pem(private_key=True, password=None).decode()
    return case


def signed(algorithm, kind):
    key = jwk.JWK.generate(**kind)
    token = jws.JWS(CLAIMS)
    token.add_signature(key, alg=algorithm, protected=json.dumps({"alg": algorithm}))
    return key, described(key, alg=algorithm, token=token.serialize(compact=True))


def encrypted(algorithm, content, kind):
    key = jwk.JWK.generate(**{**kind, **({"size": CONTENT_BITS[content]} if algorithm == "dir" else {})})
    header = json.dumps({"alg": algorithm, "enc": content})
    token = jwe.JWE(CLAIMS, protected=header, recipient=key)
    return key, described(key, alg=algorithm, enc=content, token=token.serialize(compact=True))


def read(key, case, answer):
    """Returns the text of a token that the script made."""
    if "enc" in case:
        token = jwe.JWE()
        token.allowed_algs = [case["alg"], case["enc"]]
        token.deserialize(answer, key=key)
        return token.payload
    token = jws.JWS()
    token.allowed_algs = [case["alg"]]
    token.deserialize(answer, key=key)
    return token.payload


def main():
    cases = [signed(algorithm, kind) for algorithm, kind in SIGNATURES.items()]
    cases += [encrypted(algorithm, content, kind) for algorithm, kind in ENCRYPTIONS.items() for content in CONTENT_BITS]
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/cases.json", "w", encoding="utf-8") as file:
            json.dump([case for _, case in cases], file)
        with open(f"{folder}/tokens.lua", "w", encoding="utf-8") as file:
            file.write(SCRIPT)
        done = subprocess.run(
            [os.path.abspath(sys.argv[1]), "tokens.lua"], cwd=folder, timeout=120, check=True, capture_output=True, text=True
        )
    answers = json.loads(done.stdout)
    assert len(answers) == len(cases)
    for (key, case), answer in zip(cases, answers):
        assert json.loads(read(key, case, answer)) == {"sub": "alice"}, case["alg"]
    print(f"jwcrypto and b2c.jose read each other's {len(cases)} tokens")


if __name__ == "__main__":
    main()
