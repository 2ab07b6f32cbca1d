"""Compares a DPoP proof that a script signs with the bare signature of the openssl program."""

from .tools import Row, Setting, best, output, program

TITLE = "A DPoP proof signed with ES256, microseconds"


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
    return [
        Row("openssl speed ecdsap256, the signature only", f"{times['signature']:.1f}"),
        Row("b2c.jose.sign of a proof with the public key", f"{times['proof']:.1f}",
            f"{times['proof'] / times['signature']:.2f} times (aim: at most 150 microseconds)"),
    ]
