"""A hostile writer to the PostgreSQL store swaps sealed texts between accounts, secrets, keys and groups, and puts scripts, paths and permissions into the tables of jobs: nothing opens, and nothing runs."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from database import *
s = Store(); bad = []; n = 0
put("in.lua", SIGN_IN + "print(a.name)"); s.demand(s.run("--no-prompt", "in.lua"), "Alice")
s.op.bend["claims"] = lambda c: {**c, "sub": "bob-1", "name": "Bob"}; s.demand(s.run("--no-prompt", "in.lua"), "Bob")
for name, value in (("orders", SECRET), ("other", SECRET + "-2")): s.demand(s.run("secrets", "set", name, stdin=value.encode()), "")
put("key.lua", 'local b2c = require "b2c"\nlocal k = b2c.jose.key.generate { alg = "ES256" }\nb2c.jose.key.save(k, "mine")\nprint "saved"\n'); s.demand(s.run("-A", "key.lua"), "saved")
seen = s.sent
put("use.lua", """local b2c = require "b2c"
for _, a in ipairs(b2c.accounts.all()) do print(a.name, pcall(b2c.tasks.list, { account = a })) end
for _, n in ipairs { "orders", "other" } do local ok, v = pcall(b2c.secrets.get, n); print(n, ok, ok and b2c.http.get(b2c.settings.taskAPI .. "/s", { headers = { X = v } }).status) end
print(pcall(b2c.jose.key.load, "stored:mine"))
""")
def use(name, label):
    global n
    n += 1; seen.clear(); rc, o, e = s.run("-A", "--no-prompt", "use.lua", name=name, timeout=75)
    if crashed(rc, e): bad.append((label, rc, e[-200:]))
    # A secret that goes where it may without a token is less than before.
    return o, {(p, t, x) for m, p, h, b in seen for t, x in ((h.get("Authorization"), None), (None, h.get("X"))) if t or x}
o, normal = use("b2c", "normal")
if len(normal) < 3: verdict(True, f"setup {o} {normal} {s.run('-A', '--no-prompt', 'use.lua')}")
places = [("account", "tokens", f"id='{i}'") for i in s.sql("SELECT id FROM account ORDER BY name")[0].split()] + [("secret", "sealed", "name='orders'"), ("secret", "sealed", "name='other'"), ("saved_key", "sealed", "name='mine'"), ("account_group", "proof", "true")]
for a in places:
    for b in places:
        if a == b: continue
        name = s.copy(); s.sql(f"UPDATE {a[0]} SET {a[1]} = (SELECT {b[1]} FROM {b[0]} WHERE {b[2]}) WHERE {a[2]}", name)
        o, sent = use(name, (a, b)); s.drop(name)
        # Nothing goes out that did not go out before.
        if not sent <= normal: bad.append(("swap", a, b, sorted(map(str, sent - normal))[:3]))
for label, sql in {"names of accounts": "UPDATE account SET name = CASE name WHEN 'Alice' THEN 'Bob' ELSE 'Alice' END", "names of secrets": "UPDATE secret SET name = CASE name WHEN 'orders' THEN 'x' ELSE name END; UPDATE secret SET name = 'orders' WHERE name = 'other'", "rows twice": "ALTER TABLE account DROP CONSTRAINT account_id_key CASCADE; ALTER TABLE account DROP CONSTRAINT account_pkey; ALTER TABLE account DROP CONSTRAINT account_vault_group_issuer_subject_account_type_policy_key_key; INSERT INTO account SELECT * FROM account",
  "provider": "UPDATE account SET provider = replace(provider, '127.0.0.1', 'localhost')", "another ID of the store": "UPDATE account_store SET id = 'ffffffffffffffffffffffffffffffff'", "an ID that is a path": "UPDATE account_store SET id = '../../../../etc'", "no proof": "DELETE FROM account_group", "a view": "ALTER TABLE account RENAME TO account2; CREATE VIEW account AS SELECT account2.* FROM account2, (SELECT pg_sleep(0.1)::text AS z) AS slow", "a slow view": "ALTER TABLE secret RENAME TO secret2; CREATE VIEW secret AS SELECT secret2.* FROM secret2, (SELECT pg_sleep(25)::text AS z) AS slow", "other functions": "CREATE SCHEMA evil; CREATE FUNCTION evil.now() RETURNS timestamptz LANGUAGE sql AS $$ SELECT 'infinity'::timestamptz $$; CREATE FUNCTION evil.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT '-infinity'::timestamptz $$; ALTER DATABASE {db} SET search_path = evil, pg_catalog, public",
  "other settings": "ALTER DATABASE {db} SET standard_conforming_strings = off; ALTER DATABASE {db} SET bytea_output = escape; ALTER DATABASE {db} SET DateStyle = 'German'; ALTER DATABASE {db} SET extra_float_digits = -15; ALTER DATABASE {db} SET IntervalStyle = iso_8601; ALTER DATABASE {db} SET client_encoding = latin1; ALTER DATABASE {db} SET timezone = 'Pacific/Apia'",
  "triggers": "CREATE FUNCTION t() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION E'\\x1b]0;PWN\\x07\\x1b[2J'; END $$; CREATE TRIGGER t BEFORE UPDATE OR INSERT ON lease FOR EACH ROW EXECUTE FUNCTION t(); CREATE TRIGGER t BEFORE UPDATE OR INSERT ON account FOR EACH ROW EXECUTE FUNCTION t()", "rules": "CREATE RULE r AS ON UPDATE TO account DO INSTEAD SELECT repeat('x', 1000) FROM generate_series(1, 1000000)", "recursive": "ALTER TABLE account RENAME TO account2; CREATE VIEW account AS SELECT account2.* FROM account2, generate_series(1, 3000000)", "lease": "INSERT INTO lease SELECT 'refresh/' || id, 'x', 9223372036854775807, 'Infinity' FROM account ON CONFLICT DO NOTHING; UPDATE lease SET epoch = 9223372036854775807, until = 'NaN'"}.items():
    name = s.copy(); out, error = s.sql(sql.replace("{db}", name), name)
    if "ERROR" in error: bad.append(("sql", label, error[:200]))
    o, sent = use(name, label)
    if not sent <= normal: bad.append((label, sorted(map(str, sent - normal))[:3]))
    if "\x1b]0" in o: bad.append((label, "escape"))
    s.drop(name)
# Jobs: nothing outside of the folder runs, and nobody gets a permission.
put("jobs/j.lua", 'local b2c = require "b2c"\nlocal run = b2c.job { summary = "x", on = { every = "9h" } }\nlocal f = io.open("' + ROOT + '/marker-permission", "w")\nprint(f)\nos.execute("touch ' + ROOT + '/marker-program")\n')
for place in ("evil.lua", "jobs/.evil.lua", "jobs/sub/evil.lua"): put(place, f'os.execute("touch {ROOT}/marker-script")\nlocal f = io.open("{ROOT}/marker-script", "w")\nrequire("b2c").job {{ summary = "x", on = {{ start = true }} }}')
def serve(name, seconds=2.5):
    p = subprocess.Popen([BIN, *s.settings, "--store", s.address(name), "--machine", name.replace("_", "-"), "serve", "--state", ROOT + "/" + name], cwd=ROOT + "/work", env=env(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    time.sleep(seconds); p.terminate()
    try: return p.communicate(timeout=30)[0].decode("utf-8", "replace"), p.returncode
    except subprocess.TimeoutExpired: p.kill(); return p.communicate()[0].decode("utf-8", "replace"), "TIMEOUT"
serve("b2c"); os.path.exists(ROOT + "/marker-permission") and verdict(True, "setup: the job may write")
RUN = "INSERT INTO run (job, kind, count, event, state, attempt, interruptions, created, computed, permissions, arguments) VALUES ('{j}', '{k}', 1, '{{}}', '{st}', 0, 0, extract(epoch FROM now())::bigint, 0, {perm}, '[]')"
changes = {"a run with permissions": RUN.format(j="j", k="hand", st="due", perm="'[\"--allow-all\"]'"), "a run with -A": RUN.format(j="j", k="hand", st="retry", perm="'[\"-A\"]'"), "allowed": "UPDATE job SET allowed = '[\"--allow-all\",\"--allow-write\",\"--allow-run\"]', needs = '[]', trouble = NULL, pause = NULL; " + RUN.format(j="j", k="hand", st="due", perm="NULL"), "allowed and needed": "UPDATE job SET needs = '[\"--allow-write\",\"--allow-run\"]', allowed = needs; " + RUN.format(j="j", k="hand", st="due", perm="NULL")}
for i, path in enumerate((ROOT + "/work/evil.lua", "../evil.lua", ".evil.lua", "sub/evil.lua", "../work/evil.lua")):
    for nm in ("evil", "../evil", ".evil"): changes[f"path {path} {nm}"] = f"INSERT INTO job SELECT '{nm}', '{path}', digest, declaration, NULL, '[]', '[]', NULL, 0, NULL, memory, created, seal, warnings FROM job WHERE name = 'j'; " + RUN.format(j=nm, k="hand", st="due", perm="NULL") + (f"; UPDATE job SET path = '{path}' WHERE name = 'j'; " + RUN.format(j="j", k="hand", st="due", perm="NULL") if nm == "evil" else "")
import concurrent.futures
def job(item):
    global n
    label, sql = item; name = s.copy(); out, error = s.sql(sql, name); n += 1
    if "ERROR" in error: bad.append(("sql", label, error[:200]))
    o, rc = serve(name); s.drop(name)
    if crashed(rc, o): bad.append((label, rc, o[-300:]))
with concurrent.futures.ThreadPoolExecutor(4) as pool: list(pool.map(job, changes.items()))
for m in ("permission", "program", "script"):
    if os.path.exists(f"{ROOT}/marker-{m}"): bad.append(("RAN", m))
verdict(bad, f"{n} attacks; bad {bad}")
