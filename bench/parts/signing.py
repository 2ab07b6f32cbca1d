"""Compares a DPoP proof that a script signs with the bare signature of the openssl program, and sign-ins with a signed assertion
with those with a secret."""

import tempfile

from .tools import Row, Setting, best, output, program

TITLE = "A DPoP proof signed with ES256, microseconds; sign-ins, milliseconds of client and tenant"
SIGN_INS = 15


def measure(setting: Setting) -> list[Row]:
    script = setting.root / "bench/lua/sign_proof.lua"

    def signature() -> float:
        # The last line ends with the signatures and the verifications of a second.
        line = output([program("openssl", "openssl"), "speed", "-seconds", "1", "ecdsap256"]).splitlines()[-1]
        return 1e6 / float(line.split()[-2])

    times = best(
        setting.rounds,
        {"proof": lambda: float(output([setting.binary, script])), "signature": signature},
        min)
    with tempfile.TemporaryDirectory(prefix="bench-store-") as store:
        secret, key = map(float, output([
            setting.binary, "-A", "--local", "--store", store, "--quiet", setting.root / "bench/lua/sign_in.lua", SIGN_INS]).split())
    return [
        Row("openssl speed ecdsap256, the signature only", f"{times['signature']:.1f}"),
        Row("b2c.jose.sign of a proof with the public key", f"{times['proof']:.1f}",
            f"{times['proof'] / times['signature']:.2f} times (aim: at most 150 microseconds)"),
        Row("a sign-in with client_secret_post", f"{secret:.1f}"),
        Row("a sign-in with private_key_jwt", f"{key:.1f}", f"{key - secret:+.1f} ms (aim: at most 2)"),
    ]
