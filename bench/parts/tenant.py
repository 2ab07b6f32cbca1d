"""Measures the throughput of the local tenant: new tasks with wrk, without and with a proof for each, and complete sign-ins."""

import os
import plistlib
import re
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .browser import sign_in
from .tools import Row, Setting, Unavailable, best, free_port, output, program, running, wait_for_port

TITLE = "Local tenant"
CONNECTIONS = 64
WORKERS = 4
SIGN_INS = 40
PROOFS = 60_000


def measure(setting: Setting) -> list[Row]:
    port = free_port()
    with running([setting.binary, "tenant", "--port", port]) as (process, printed):
        wait_for_port(port, process, "b2c-run tenant")
        client, password = settings(printed)
        token = sign_in(client, "alice", password)

        def tasks() -> float:
            said = output(
                [program("wrk", "wrk"), "-t1", f"-c{CONNECTIONS}", "-d2s", "-s", setting.root / "bench/lua/post_task.lua",
                 f"{client['taskAPI']}/api/tasks"],
                env={**os.environ, "TOKEN": token})
            if "Non-2xx" in said:
                raise Unavailable("the tenant refused tasks: " + said)
            return float(re.search(r"Requests/sec:\s+([\d.]+)", said).group(1))

        def sign_ins() -> float:
            start = time.perf_counter()
            with ThreadPoolExecutor(WORKERS) as pool:
                list(pool.map(lambda _: sign_in(client, "alice", password), range(SIGN_INS)))
            return SIGN_INS / (time.perf_counter() - start)

        proven = with_proofs(setting, client, password)
        rates = best(min(setting.rounds, 3), {"tasks": tasks, "sign-ins": sign_ins})
    return [
        Row(f"POST /api/tasks with a token, {CONNECTIONS} connections", f"{rates['tasks']:,.0f}", "per second"),
        Row(f"the same with a DPoP proof for each, {CONNECTIONS} connections", f"{proven:,.0f}", "per second (aim: at least 5,000)"),
        Row(f"sign-ins: page, password, code, tokens; {WORKERS} at a time", f"{rates['sign-ins']:,.1f}", "per second"),
    ]


def with_proofs(setting: Setting, client: dict, password: str) -> float:
    """Tasks a second, each with a proof that was signed before."""
    with tempfile.TemporaryDirectory(prefix="bench-proofs-") as folder:
        plist, proofs = Path(folder) / "settings.plist", Path(folder) / "proofs"
        plist.write_bytes(plistlib.dumps(client))
        output([
            setting.binary, "-A", "--settings", plist, "--store", Path(folder) / "store", "--quiet",
            setting.root / "bench/lua/prove.lua", proofs, PROOFS, password])
        said = output(
            [program("wrk", "wrk"), "-t1", f"-c{CONNECTIONS}", "-d2s", "-s", setting.root / "bench/lua/post_proven.lua",
             f"{client['taskAPI']}/api/tasks"],
            env={**os.environ, "PROOFS": str(proofs)})
        if "Non-2xx" in said:
            raise Unavailable("the tenant refused tasks with proofs: " + said)
        return float(re.search(r"Requests/sec:\s+([\d.]+)", said).group(1))


def settings(printed) -> tuple[dict, str]:
    """Returns the settings.plist that the tenant prints, and Alice's password."""
    for _ in range(250):
        text = printed()
        plist = re.search(r"<\?xml.*?</plist>", text, re.DOTALL)
        password = re.search(r"^\s*alice\s+\S+\s+(\S+)$", text, re.MULTILINE)
        if plist and password:
            return plistlib.loads(plist.group(0).encode()), password.group(1)
        time.sleep(0.02)
    raise Unavailable(f"b2c-run tenant printed no settings: {text[:500]}")
