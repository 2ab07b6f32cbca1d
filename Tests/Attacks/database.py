"""What attacks on a PostgreSQL store share: a server of their own, with an account, a secret, jobs and an import that is under way."""
import os, sys
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Cluster"))
from attack import *
import atexit, signal, types
import servers
SECRET = "s3cr3t-of-the-script-0815"
class Store:
    """A database in which everything is that a store has. `copy` makes another one of the same content, and of the same key."""
    def __init__(self):
        os.chmod(ROOT, 0o755)
        self.server = servers.Postgres(ROOT + "/postgres", types.SimpleNamespace(has_mounts=False, allowed=None, listens="127.0.0.1")); atexit.register(self.server.end)
        self.sql("ALTER SYSTEM SET fsync = off", "postgres"); self.sql("SELECT pg_reload_conf()", "postgres"); self.sql("CREATE DATABASE b2c", "postgres"); self.count = 0
        self.sent = []; self.tasks = {"slow": 0}
        def other(r):
            if not r.target.startswith("/tasks-api"): return None
            self.sent.append((r.method, r.path, dict(r.headers), r.body)); time.sleep(self.tasks["slow"] if r.method == "POST" else 0)
            if r.method == "GET": return js([])
            try: t = json.loads(r.body or b"{}")
            except ValueError: t = r.form()
            return js({**t, "Id": len(self.sent)}, 201)
        self.op = OP(other=other); self.settings = self.op.settings()
        os.makedirs(ROOT + "/work/jobs", exist_ok=True)
        put("jobs/j.lua", 'local b2c = require "b2c"\nlocal run = b2c.job { summary = "the job", on = { every = "9h" } }\nrun.state = { n = 1 }\nrun:step("one", function() return 7 end)\nprint "done"\n')
        put("rows.csv", "Text\n" + "".join(f"row {i}\n" for i in range(4000)))
    def address(self, name="b2c"): return f"postgresql://b2c@127.0.0.1:{self.server.port}/{name}"
    def sql(self, text, database="b2c"):
        """(the output, the error)"""
        r = subprocess.run(["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(self.server.port), "-U", "b2c", "-f", "-", database], input=text, capture_output=True, text=True)
        return r.stdout.strip(), r.stderr.strip()
    def run(self, *words, name="b2c", **k): return run(*self.settings, "--store", self.address(name), *words, **k)
    def fill(self, jobs=True, imports=True):
        put("in.lua", SIGN_IN + "print(a.name)"); self.demand(self.run("--no-prompt", "in.lua"), "Alice")
        self.demand(self.run("secrets", "set", "orders", stdin=SECRET.encode()), "")
        if jobs:
            s = subprocess.Popen([BIN, *self.settings, "--store", self.address(), "serve"], cwd=ROOT + "/work", env=env(), stdin=subprocess.DEVNULL, stdout=open(ROOT + "/serve.log", "wb"), stderr=subprocess.STDOUT)
            for _ in range(60):
                time.sleep(.2); rc, o, e = self.run("jobs", "run", "j")
                if rc == 0: break
            for _ in range(60):
                time.sleep(.2); rc, o, e = self.run("jobs", "runs")
                if "ended" in o or "ok" in o or "done" in o: break
            s.terminate(); s.wait(30)
        if imports:
            self.tasks["slow"] = .05
            p = subprocess.Popen([BIN, *self.settings, "--store", self.address(), "import", "rows.csv", "--progress", "none"], cwd=ROOT + "/work", env=env(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(ROOT + "/import.log", "wb"))
            for _ in range(100):
                time.sleep(.1)
                if self.sql("SELECT count(*) FROM block WHERE state='claimed' AND result IS NOT NULL")[0] not in ("", "0"): break
            p.kill(); p.wait(); self.tasks["slow"] = 0
            self.sql("DELETE FROM worker; UPDATE block SET state='free', owner=NULL, epoch=epoch+1 WHERE state='claimed'; UPDATE lease SET until=0")
    def demand(self, ended, text):
        if ended[0] != 0 or text not in ended[1]: verdict(True, f"setup: {ended}")
    def copy(self):
        self.count += 1; name = f"c{self.count}_{os.urandom(2).hex()}"
        out, error = self.sql(f"CREATE DATABASE {name} TEMPLATE b2c STRATEGY file_copy", "postgres")
        if error: raise RuntimeError(error)
        return name
    def drop(self, name): self.sql(f"DROP DATABASE {name} WITH (FORCE)", "postgres")
