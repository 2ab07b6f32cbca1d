"""A hostile writer to the PostgreSQL store: each column gets odd values, and other types; commands end in time, without a crash, an escape or a secret."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from database import *
import random, concurrent.futures
E_ = "\x1b]0;PWN\x07\x1b[2J\x1b[31m\u202e\u009b1A\x08"
Q = lambda t: "E'" + "".join(c if c.isalnum() else f"\\U{ord(c):08x}" for c in t) + "'"
TEXTS = ["''", Q(E_), Q("[" * 100000), "repeat('x', 3000000)", Q('{"a":1e999,"b":-9223372036854775808}'), Q("../../../../etc/passwd"), Q("'); DROP TABLE run; --"), "'null'", "'[]'", "'{}'", "'-1'", Q('{"account":"../x","service":"/etc/passwd","timeout":-1e308,"concurrency":[1,99999999],"wait":1e308,"at":1e300,"every":1e300,"n":[[]]}'), Q('{"timeout":1e308,"retries":1e308,"settle_after":1e308}')]
NUMBERS = ["-1", "0", "9223372036854775807", "-9223372036854775808", "4611686018427387904", "253402300799", "1"]
INTS = ["-1", "0", "2147483647", "-2147483648", "7"]
REALS = ["'NaN'", "'Infinity'", "'-Infinity'", "-1", "1e308", "1e-320"]
TIMES = ["'infinity'", "'-infinity'", "'294276-01-01'", "'4713-01-01 BC'"]
BYTES = ["''", "'\\x00'", "decode(repeat('ff', 4000), 'hex')", "decode(repeat('00', 2000000), 'hex')"]
VALUES = {"text": TEXTS, "bigint": NUMBERS, "integer": INTS, "double precision": REALS, "timestamp with time zone": TIMES, "bytea": BYTES}
TYPES = {"text": ["bytea USING convert_to({}, 'UTF8')", "varchar", "json USING to_json({})", "text[] USING ARRAY[{}]", "xml USING '<a/>'::xml"], "bigint": ["text", "numeric", "double precision", "boolean USING true", "interval USING '1 day'::interval", "timestamptz USING now()"],
         "integer": ["text", "bigint", "boolean USING true"], "double precision": ["text", "numeric", "timestamptz USING now()"], "timestamp with time zone": ["text", "double precision USING 1e300", "date"], "bytea": ["text"]}
s = Store(); s.fill()
CLOCK = 90 if len(sys.argv) < 3 else float(sys.argv[2])
start = time.time(); bad = []; count = 0
def commands(table):
    if table in ("account", "current_account", "account_group", "account_store", "secret", "saved_key", "schema_version", "lease"):
        return [("accounts",), ("store",), ("secrets", "list"), ("--no-prompt", "--allow-secret", "use.lua"), ("store", "key", "export", "{key}")]
    if table in ("import", "block", "failure", "baseline", "worker"): return [("imports", "list"), ("work", "--once", "--progress", "none"), ("--timeout", "20", "import", "rows.csv", "--progress", "none")]
    return [("jobs", "list"), ("jobs", "runs"), ("jobs", "log", "1"), ("jobs", "show", "j"), ("serve",)]
put("use.lua", 'local b2c = require "b2c"\nlocal a = b2c.accounts.current()\nprint(a.name, pcall(function() return #a:token():reveal() end))\nprint(pcall(b2c.secrets.get, "orders"))\nprint(pcall(b2c.tasks.list))\n')
put("rows.csv", "Text\n" + "".join(f"row {i}\n" for i in range(600)))
PAT = re.compile("\x1b\\]0;PWN|\x1b\\[2J|\u202e|\u009b")
def one(sql, table, label):
    name = s.copy(); found = []
    try:
        out, error = s.sql(sql, name)
        if error and "ERROR" in error: return found
        for c in commands(table):
            c = [w.format(key=f"{name}.key") if "{key}" in w else w for w in c]
            t0 = time.time()
            if c[0] == "serve":
                p = subprocess.Popen([BIN, *s.settings, "--store", s.address(name), "--machine", name, "serve", "--state", ROOT + "/" + name], cwd=ROOT + "/work", env=env(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                time.sleep(1.5); p.terminate()
                try: o = p.communicate(timeout=25)[0].decode("utf-8", "replace"); rc, e = p.returncode, o
                except subprocess.TimeoutExpired: p.kill(); o = p.communicate()[0].decode("utf-8", "replace"); rc, e = "TIMEOUT", o
            else:
                rc, o, e = s.run(*c, name=name, timeout=40)
            took = time.time() - t0
            if crashed(rc, e): found.append((label, c, rc, e[-300:]))
            if PAT.search(e) or (PAT.search(o) and c[0] != "--no-prompt"): found.append((label, c, "ESCAPE", (o + e)[-200:]))
            if SECRET in o + e or re.search(r"\b(at|rt)-\d+\b", o + e): found.append((label, c, "SECRET", (o + e)[-200:]))
    finally: s.drop(name)
    return found
columns = [r.split("|") for r in s.sql("SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT LIKE 'block\\_%'")[0].splitlines()]
work = []
only = sys.argv[3].split(",") if len(sys.argv) > 3 else None
for t, c, y in columns:
    if only and t not in only: continue
    for v in VALUES.get(y, []): work.append((f'SET session_replication_role = replica; UPDATE "{t}" SET "{c}" = {v}', t, f"{t}.{c}={v[:60]}"))
    if t == "block": continue
    for y2 in TYPES.get(y, []): work.append((f'ALTER TABLE "{t}" ALTER "{c}" DROP DEFAULT; ALTER TABLE "{t}" ALTER "{c}" DROP NOT NULL; ALTER TABLE "{t}" ALTER "{c}" TYPE {y2.format(c) if "USING" in y2 else y2 + f" USING {c}::{y2}"}', t, f"{t}.{c}:{y2}"))
    work.append((f'ALTER TABLE "{t}" DROP COLUMN "{c}" CASCADE', t, f"{t}.{c} dropped"))
    work.append((f'ALTER TABLE "{t}" ALTER "{c}" DROP NOT NULL; UPDATE "{t}" SET "{c}" = NULL', t, f"{t}.{c} null"))
seed = int(os.environ.get("SEED", "0")) or random.randrange(1 << 30)
random.Random(seed).shuffle(work)
with concurrent.futures.ThreadPoolExecutor(3) as pool:
    def go(w):
        global count
        if time.time() - start > CLOCK: return
        count += 1
        try: found = one(*w)
        except Exception as x: found = [(w[2], "harness", repr(x)[:200])]
        if found and len(sys.argv) > 2: print(found, flush=True)
        bad.extend(found)
    list(pool.map(go, work))
verdict(bad, f"{count} of {len(work)} changes, seed {seed}; {bad}")
