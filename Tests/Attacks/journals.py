"""Journals of imports and of sync that an enemy has made: bytes that were flipped, views, triggers, generated columns and other SQL in place of the tables, links, pipes, texts with escapes. No crash, no endless wait, no foreign file."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
import random, sqlite3, concurrent.futures
E_ = "\x1b]0;PWN\x07\x1b[2J\u202e\u009b1A"; CLOCK = float(sys.argv[2]) if len(sys.argv) > 2 else 100
sent = []
def other(r):
    if not r.target.startswith("/tasks-api"): return None
    sent.append((r.method, r.path))
    if r.method == "GET": return js([])
    try: t = json.loads(r.body or b"{}")
    except ValueError: t = r.form()
    return js({**t, "Id": len(sent)}, 201) if "row 7" not in str(t) else js({"error": "no"}, 400)
op = OP(other=other); S = op.settings(); put("in.lua", SIGN_IN + "print(a.name)"); put("rows.csv", "Text\n" + "".join(f"row {i}\n" for i in range(400)))
rc, o, e = run(*S, "--no-prompt", "in.lua")
if "Alice" not in o: verdict(True, f"setup {rc} {o} {e}")
rc, o, e = run(*S, "import", "rows.csv", "--journal", "j.sqlite", "--progress", "none", "--failed", "none")
W = ROOT + "/work/"; files = [f for f in os.listdir(W) if f.startswith("j.sqlite")]
if not files: verdict(True, f"setup {rc} {o} {e}")
c = sqlite3.connect(W + "j.sqlite"); c.execute("PRAGMA wal_checkpoint(TRUNCATE)"); c.close()
base = {f: open(W + f, "rb").read() for f in os.listdir(W) if f.startswith("j.sqlite")}
for f in base: os.remove(W + f)
seed = int(os.environ.get("SEED", "0")) or random.randrange(1 << 30); rnd = random.Random(seed); bad = []; n = 0; t0 = time.time()
MARK = ROOT + "/foreign.txt"; open(MARK, "w").write("Text\nforeign-secret-row\n")
def place(k, made):
    d = f"{W}k{k}"; shutil.rmtree(d, True); os.makedirs(d)
    for f, b in made.items(): open(f"{d}/{f}", "wb").write(b)
    shutil.copy(W + "rows.csv", d); os.symlink(W + "settings.json", d + "/settings.json"); return d
def use(d, label):
    global n
    n += 1
    for words in (("imports", "show", "./j.sqlite"), ("imports", "show", "./j.sqlite", "--failed"), ("--timeout", "15", "import", "rows.csv", "--journal", "j.sqlite", "--progress", "none", "--failed", "none")):
        rc, o, e = run(*S, *words, cwd=d, timeout=25)
        if crashed(rc, e): bad.append((label, words[1], rc, e[-200:]))
        if "\x1b]0" in e or "\x1b[2J" in e or "\u202e" in e or ("\x1b]0" in o and "--failed" not in words): bad.append((label, words[1], "ESCAPE", (o + e)[-200:]))
        if "foreign-secret" in o + e: bad.append((label, "FOREIGN"))
def flipped(k):
    if time.time() - t0 > CLOCK: return
    r = random.Random(seed + k); made = {f: bytearray(b) for f, b in base.items()}
    for _ in range(r.choice([1, 1, 2, 5, 50])):
        f = r.choice(list(made)); b = made[f]
        if not b: continue
        how = r.randrange(5); i = r.randrange(len(b)) if r.random() < .6 else r.randrange(min(len(b), 4096))
        if how == 0: b[i] ^= 1 << r.randrange(8)
        elif how == 1: b[i] = r.choice([0, 255, 127, 128])
        elif how == 2: del b[i:i + r.randrange(1, 5000)]
        elif how == 3: b[i:i + 4] = os.urandom(4)
        else: j = r.randrange(len(b)); b[i:i + 512] = b[j:j + 512]
    d = place(k, {f: bytes(b) for f, b in made.items()}); use(d, f"flip {seed}+{k}"); shutil.rmtree(d, True)
SQL = {"view": "ALTER TABLE failures RENAME TO f2; CREATE VIEW failures AS SELECT * FROM f2", "trigger": "CREATE TRIGGER t AFTER INSERT ON outcomes BEGIN DELETE FROM rows; END", "update trigger": "CREATE TRIGGER t AFTER UPDATE ON journal BEGIN UPDATE journal SET source = '/etc/passwd'; END", "index": "CREATE INDEX i ON failures (reason COLLATE NOCASE)", "expression index": "CREATE INDEX i ON failures (load_extension('x'))", "virtual": "CREATE VIRTUAL TABLE v USING fts5(x)", "many": ";".join(f"CREATE TABLE t{i} (x)" for i in range(500)), "generated": "PRAGMA writable_schema=1; UPDATE sqlite_schema SET sql = replace(sql, 'content TEXT', 'content TEXT AS (reason || readfile(''" + MARK + "''))') WHERE name = 'failures'", "default": "PRAGMA writable_schema=1; UPDATE sqlite_schema SET sql = sql || ' /* */' WHERE name = 'failures'", "rootpage": "PRAGMA writable_schema=1; UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'rows') WHERE name = 'failures'", "rootpage far": "PRAGMA writable_schema=1; UPDATE sqlite_schema SET rootpage = 2147483647 WHERE name = 'outcomes'", "rootpage 1": "PRAGMA writable_schema=1; UPDATE sqlite_schema SET rootpage = 1 WHERE name = 'rows'", "texts": "UPDATE failures SET reason = '{E}', code = '{E}', text = '{E}'", "huge text": "UPDATE failures SET reason = printf('%.*c', 90000000, 'x')", "source": "UPDATE journal SET source = '{E}', account_name = '{E}', account = '{E}', api = '{E}'", "source path": "UPDATE journal SET source = '" + MARK + "'", "other account": "UPDATE journal SET account = 'bob of http://127.0.0.1:1'", "numbers": "UPDATE journal SET created = 9223372036854775807, updated = -9223372036854775808, added = 9223372036854775807, failed = -1, sent = 9223372036854775807", "finished": "UPDATE journal SET finished_rows = 9223372036854775807, baseline_total = -1", "rows": "UPDATE failures SET row = -9223372036854775808, line = 9223372036854775807, status = -1", "chunks": "UPDATE rows SET chunk = 9223372036854775807", "chunks 2": "UPDATE outcomes SET chunk = -1", "blobs": "UPDATE rows SET times = zeroblob(100000000)", "blobs 2": "UPDATE outcomes SET states = x'', ids = zeroblob(7)", "ids": "UPDATE outcomes SET ids = randomblob(length(ids))", "version": "PRAGMA user_version = 2147483647", "version 1": "PRAGMA user_version = 1", "version -1": "PRAGMA user_version = -1", "auto vacuum": "PRAGMA auto_vacuum = 2; VACUUM", "page size": "PRAGMA journal_mode = DELETE; PRAGMA page_size = 65536; VACUUM", "utf16": "PRAGMA journal_mode = DELETE", "lost": "INSERT INTO lost SELECT abs(random()) FROM failures, rows", "two records": "INSERT INTO journal SELECT * FROM journal", "no record": "DELETE FROM journal", "carried": "INSERT INTO carried VALUES (1, '{E}')"}
def changed(item):
    k, (label, sql) = item; d = place(100000 + k, base)
    try:
        c = sqlite3.connect(d + "/j.sqlite", isolation_level=None); c.create_function("readfile", 1, lambda p: "x", deterministic=True); c.executescript(sql.replace("{E}", E_)); c.close()
    except sqlite3.Error as x:
        if label not in ("generated", "expression index"): pass
    use(d, label); shutil.rmtree(d, True)
FILES = {"link to a foreign file": lambda d: (os.remove(d + "/j.sqlite"), os.symlink(MARK, d + "/j.sqlite")), "pipe": lambda d: (os.remove(d + "/j.sqlite"), os.mkfifo(d + "/j.sqlite")), "folder": lambda d: (os.remove(d + "/j.sqlite"), os.mkdir(d + "/j.sqlite")), "device": lambda d: (os.remove(d + "/j.sqlite"), os.symlink("/dev/zero", d + "/j.sqlite")), "log link": lambda d: os.symlink(MARK, d + "/j.sqlite-wal"), "log pipe": lambda d: os.mkfifo(d + "/j.sqlite-wal"), "shm pipe": lambda d: os.mkfifo(d + "/j.sqlite-shm"), "shm link": lambda d: os.symlink(MARK, d + "/j.sqlite-shm"), "journal": lambda d: open(d + "/j.sqlite-journal", "wb").write(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + os.urandom(4096)), "log": lambda d: open(d + "/j.sqlite-wal", "wb").write(b"\x37\x7f\x06\x82\x00\x2d\xe2\x18" + os.urandom(40000)), "huge": lambda d: os.truncate(d + "/j.sqlite", 1 << 40)}
for ending in ("-lock", "-seal", ".lock", ".seal"):
    FILES["link of " + ending] = lambda d, e=ending: (os.path.exists(d + "/j.sqlite" + e) and os.remove(d + "/j.sqlite" + e), os.symlink(MARK, d + "/j.sqlite" + e)); FILES["pipe of " + ending] = lambda d, e=ending: (os.path.exists(d + "/j.sqlite" + e) and os.remove(d + "/j.sqlite" + e), os.mkfifo(d + "/j.sqlite" + e))
def filed(item):
    k, (label, f) = item; d = place(200000 + k, base); f(d); use(d, label); shutil.rmtree(d, True)
def synced(item):
    k, text = item; d = place(300000 + k, {}); open(d + "/s.sync", "wb").write(text if isinstance(text, bytes) else text.encode())
    for words in (("sync", "tasks", "tasks:x", "--journal", "s.sync"), ("sync", "tasks", "tasks:x", "--journal", "s.sync", "--apply")):
        rc, o, e = run(*S, "--timeout", "15", *words, cwd=d, timeout=25)
        if crashed(rc, e): bad.append(("sync", text[:60], rc, e[-200:]))
        if "\x1b]0" in o + e: bad.append(("sync", text[:60], "ESCAPE", e[-200:]))
H = '{"salt":"x","sides":["tasks","tasks:x"]}\n'
SYNC = [H + t for t in ('{"a":"1","b":"2","state_a":{},"state_b":{}}\n' * 20000, '{"a":' + "[" * 100000 + "\n", '{"a":1e999,"b":{}}\n', '{"a":"../../x","b":"http://127.0.0.1:1/","state_a":{"text":7},"state_b":{"text":[]}}\n', '{"adding":"a"}\n', '{"adding":"a","id":{},"state":[]}\n', '{"adding":7,"id":"x","state":{}}\n', '{"gone":true,"a":"%s","b":"%s"}\n' % (E_.replace("\x1b", "\\u001b").replace("\x07", ""), "x"), "x" * 5_000_000 + "\n", "\0" * 100000, '{"a":"1","b":"2","state_a":null,"state_b":null}')] + ['{"salt":"x","sides":["%s","x"]}\n' % E_.replace("\x1b", "\\u001b").replace("\x07", "\\u0007").replace("\u009b", "\\u009b"), '{"salt":7,"sides":7}\n', '{"salt":"x","sides":{}}\n', H * 3, b"\xff\xfe" * 1000]
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    for f, items in ((filed, enumerate(FILES.items())), (changed, enumerate(SQL.items())), (synced, enumerate(SYNC)), (flipped, range(100000 if CLOCK > 100 else 400))): list(pool.map(f, items))
if open(MARK).read() != "Text\nforeign-secret-row\n": bad.append(("the foreign file has changed",))
verdict(bad, f"{n} journals, seed {seed}; bad {bad}")
