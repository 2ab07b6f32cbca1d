"""Compares imports through PostgreSQL with imports with a journal in SQLite, by the same program and the same server."""

import os
import pwd
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from . import nginx
from .imports import IN_FLIGHT, write_rows
from .tools import Row, Setting, Unavailable, best, free_port, output

TITLE = "Import through PostgreSQL, for several machines, against nginx answering 201, rows per second"


@contextmanager
def database(folder: Path):
    """Yields the address of a database on a server of its own, with fsync on."""
    programs = max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)
    if programs is None:
        raise Unavailable("PostgreSQL is missing; install the package postgresql")
    owner = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
    place = folder / "postgres"
    place.mkdir()
    if owner:
        user = pwd.getpwnam("postgres")
        os.chown(place, user.pw_uid, user.pw_gid)
    port = free_port()
    output([*owner, programs / "initdb", "-D", place / "data", "-U", "b2c", "-A", "trust", "-E", "UTF8", "--locale=C"], cwd="/")
    with open(place / "data/postgresql.conf", "a", encoding="ascii") as config:
        config.write(f"port = {port}\nunix_socket_directories = '{place}'\nlisten_addresses = '127.0.0.1'\n")
    control = [*owner, programs / "pg_ctl", "-D", place / "data", "-w"]
    subprocess.run([*control, "-l", place / "log", "start"], check=True, stdout=subprocess.DEVNULL, cwd="/")
    try:
        output([*owner, programs / "createdb", "-h", "127.0.0.1", "-p", port, "-U", "b2c", "b2c"], cwd="/")
        yield f"postgresql://b2c@127.0.0.1:{port}/b2c"
    finally:
        subprocess.run([*control, "-m", "fast", "stop"], check=False, stdout=subprocess.DEVNULL, cwd="/")


@contextmanager
def tenant(setting: Setting, folder: Path):
    """Yields the settings of a local tenant, where the importing user signs in."""
    settings = folder / "settings.plist"
    with open(settings, "wb") as file:
        process = subprocess.Popen([str(setting.binary), "--quiet", "tenant"], stdout=file)
    try:
        while not settings.read_bytes().endswith(b"</plist>\n"):
            time.sleep(0.05)
        yield settings
    finally:
        process.terminate()
        process.wait()


def measure(setting: Setting) -> list[Row]:
    rows = write_rows(setting)
    with tempfile.TemporaryDirectory(prefix="bench-machines-") as name, nginx.server() as url:
        folder = Path(name)
        folder.chmod(0o755)
        home = dict(os.environ, HOME=name)
        with database(folder) as store, tenant(setting, folder) as settings:
            common = [setting.binary, "--quiet", "--settings", settings, "--set", f"taskAPI={url}"]
            script = setting.root / "bench/lua/import_shared.lua"

            def rate(place) -> float:
                count, seconds = output([*common, "-A", "--store", place, script, rows, IN_FLIGHT], env=home).split()
                return float(count) / float(seconds)

            def helped(helpers: int) -> float:
                """The rate of a machine with helpers, which share its cores."""
                words = [str(word) for word in [*common, "--store", store, "work", "--progress", "none"]]
                others = [subprocess.Popen(words, env=home) for _ in range(helpers)]
                try:
                    time.sleep(0.5)
                    return rate(store)
                finally:
                    for other in others:
                        other.terminate()
                        other.wait()

            rates = best(setting.rounds, {
                "sqlite": lambda: rate(folder / "accounts"),
                "postgres": lambda: rate(store),
                "helped": lambda: helped(3),
            })
    one = rates["postgres"]
    return [
        Row("with a journal in SQLite", f"{rates['sqlite']:,.0f}"),
        Row("through PostgreSQL", f"{one:,.0f}", f"{one / rates['sqlite']:.2f} of it (aim: 0.8)"),
        Row("with 3 helpers on the same cores", f"{rates['helped']:,.0f}", f"{rates['helped'] / one:.2f} of one machine (aim: 0.85)"),
    ]
