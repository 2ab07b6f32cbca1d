"""Texts of foreign bytes (U+10FF80..): no permission is fooled, no two names become one, no secret slips out."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
W = ROOT + "/work"; os.makedirs(W)
wb = W.encode()
os.makedirs(wb + b"/ok"); os.makedirs(wb + b"/\xe9"); os.makedirs(W + "/\u00e9"); os.makedirs(W + "/\U0010ffe9"); os.makedirs(W + "/e\u0301")
for d in (b"/\xe9", "/\u00e9".encode(), "/\U0010ffe9".encode(), "/e\u0301".encode()): open(wb + d + b"/f", "w").write(d.hex())
put("../elsewhere/r.lua", r'''
for _, d in ipairs { "\xe9", "\u{e9}", "\u{10ffe9}", "e\u{301}", "\u{10ffc3}\u{10ffa9}" } do
  local ok, f = pcall(io.open, d .. "/f"); io.write(d:gsub(".", function(c) return ("%02x"):format(c:byte()) end), "=", ok and f and f:read("a") or "no", "\n")
end''')
def rr(flag):
    p = subprocess.run([BIN.encode(), flag, ROOT.encode() + b"/elsewhere/r.lua"], cwd=W, env=env(), capture_output=True, timeout=30); return p.stdout.decode("latin1").split(), p.stderr[-150:]
bad = []
table = {}
for name, b in (("raw", b"\xe9"), ("nfc", "\u00e9".encode()), ("pua", "\U0010ffe9".encode()), ("nfd", "e\u0301".encode()), ("pua2", "\U0010ffc3\U0010ffa9".encode())):
    o, e = rr(b"--allow-read=" + b); table[name] = o
    got = [l.split("=") for l in o]
    for k, v in got:
        if v not in ("no", "") and (v != "2f" + k or k != b.hex()): bad.append((name, k, v))
# header of the script with scalars
# secrets: foreign bytes, scalars; printed by print, error, log, http error, trace
for i, sec in enumerate((b"top-secret-\xff\xfe-bytes-1234567", "top-secret-\U0010ffff-scalar-123".encode(), "top-secret-e\u0301\u00e9-1234567".encode(), b"top-secret-line1\nline2-abcdefg")):
    p = subprocess.run([BIN, "secrets", "set", f"s{i}"], input=sec, cwd=W, env=env(), capture_output=True, timeout=30)
    n = f"s{i}"
    put("s.lua", f'''local b2c = require "b2c"
local s = b2c.secrets.get "{n}"
print(s, tostring(s)); pcall(function() print(#s) end)
print(pcall(b2c.http.get, "http://127.0.0.1:1/x", {{ headers = {{ ["X-A"] = s }} }}))
print(pcall(b2c.http.get, "http://127.0.0.1:1/x", {{ query = {{ a = s }} }}))
print(pcall(function() return "x" .. s end))
b2c.log.info(tostring(s)); pcall(b2c.log.info, s)
local r = b2c.http.get(ECHO, {{ query = {{ a = s }}, headers = {{ ["X-A"] = pcall(tostring, s) and s or "" }}, raise = false }})
b2c.log.info(r.body or "?")
error(r.body)''')
    v = Server(lambda r: (400, [("Content-Type", "text/plain")], (r.path + " " + str(r.headers.get("X-A")) + " " + up.unquote_to_bytes(r.path).decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")))
    t = open(W + "/s.lua").read().replace("ECHO", f'"{v.url}/e"'); open(W + "/s.lua", "w").write(t)
    q = subprocess.run([BIN, "--allow-secret=" + n, "--allow-net", "--trace", ROOT + f"/trace{i}.json", "s.lua"], cwd=W, env=env(), capture_output=True, timeout=30)
    out = q.stdout + q.stderr + (open(ROOT + f"/trace{i}.json", "rb").read() if os.path.exists(ROOT + f"/trace{i}.json") else b"")
    err = q.stderr + (open(ROOT + f"/trace{i}.json", "rb").read() if os.path.exists(ROOT + f"/trace{i}.json") else b"")
    table[n] = (q.returncode, q.stderr[-400:], q.stdout[-200:])
    for form in (sec, sec.decode('utf-8','replace').encode(), up.quote(sec).encode()):
        if form in err: bad.append((n, err[max(0, err.find(form) - 60):err.find(form) + 60]))
verdict(bad, f"{bad} ||| {table}")
