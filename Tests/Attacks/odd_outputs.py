"""check --sarif, --profile and replay with hostile names and files: no script is replaced, no name breaks a format, and a replay takes no foreign file."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
ESC = "\x1b]0;pwn\x07\x1b[2J\u202e"; bad = []; os.makedirs(ROOT + "/work/s")
names = ('a"b.lua', "a\nb.lua", "a" + ESC + ".lua", "a\\b.lua", "%2e.lua", "é.lua", "<script>.lua", b"bad\xff.lua")
for n in names: open(ROOT.encode() + b"/work/s/" + (n if isinstance(n, bytes) else n.encode()), "w").write("local x = nope(\n")
r = run("check", "--sarif", "o.sarif", "s")
if any(c in r[1] + r[2] for c in "\x1b\x07\u202e"): bad.append(("check", "escapes"))
try: uris = {x["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for x in json.load(open(ROOT + "/work/o.sarif"))["runs"][0]["results"]}
except Exception as e: uris = {repr(e)}
want = {"s/" + up.quote(n, safe="-._~") for n in names}
if uris != want: bad.append(("sarif", uris ^ want))
put("p.lua", "print(1)\n"); run("check", "--sarif", "p.lua", "s")
if open(ROOT + "/work/p.lua").read() != "print(1)\n": bad.append("a script was replaced")
put("h.lua", 'local f = load("for i = 1, 2e7 do local x = i end", "=</script><img src=x>;main chunk (other) 9\\n\\27[2Jcomputing;forged 1") f()')
for f in ("h.html", "h.folded"): run("--profile", f, "h.lua")
page, folded = open(ROOT + "/work/h.html").read(), open(ROOT + "/work/h.folded").read()
if "<img src" in page: bad.append(("page", "breaks out"))
if "\x1b" in folded or any(l.startswith("computing;forged") or not re.fullmatch(r"(computing|waiting)(;[^;]+)* \d+", l) for l in folded.splitlines()): bad.append(("folded", folded[:300]))
web = Server(lambda r: js({"a": 1})); put("r.lua", 'local b2c = require "b2c"\nprint(b2c.http.get(arg[1]).status, os.time(), math.random())')
a = run("--trace", "t.json", "--replayable", "-A", "r.lua", web.url); b = run("-A", "replay", "t.json"); asked = len(web.log)
if a[1] != b[1] or not a[1]: bad.append(("replay", a, b))
base, key = open(ROOT + "/work/t.json").read(), open(ROOT + "/work/t.json.key").read(); sealed = [l for l in base.splitlines() if '"sealed"' in l][0]
other = run("--trace", "u.json", "--replayable", "-A", "r.lua", web.url); asked = len(web.log); ukey = open(ROOT + "/work/u.json.key").read()
for name, text, k in (("cut", base[: len(base) // 2], key), ("empty", "", key), ("deep", "[" * 300000, key), ("name", base.replace("r.lua", "x.lua"), key), ("foreign key", base, ukey), ("no key", base, "x"), ("swapped", base.splitlines()[0] + "\n" + sealed + "\n", key), ("cut seal", base.replace(sealed[-60:], sealed[-40:]), key)):
    put("e.json", text); put("e.json.key", k); os.chmod(ROOT + "/work/e.json.key", 0o600); r = run("-A", "replay", "e.json")
    if r[0] != 1 or crashed(r[0], r[2]) or r[1]: bad.append((name, r[0], r[1][:100], r[2][-100:]))
os.mkfifo(ROOT + "/work/fifo")
for f in ("/dev/zero", "fifo", "/etc/shadow", "s"):
    r = run("replay", f, timeout=20)
    if r[0] not in (1, 2) or "root:" in r[2]: bad.append((f, r[0], r[2][-100:]))
if len(web.log) != asked: bad.append("a replay asked the server")
verdict(bad, f"{bad[:4]}")
