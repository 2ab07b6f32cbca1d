"""A hostile task server: odd answers at listing, adding, Retry-After, redirects, escapes; each command ends within its --timeout and shows no escapes."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
mode = {"v": None}
E_ = "\x1b]0;PWN\x07\x1b[2J\u202e"
def other(r):
    if not r.target.startswith("/tasks-api"): return None
    m = mode["v"]
    return m(r) if m else js([])
op = OP(other=other); S = op.settings()
def page(r):
    n = int((r.query.get("page") or r.query.get("skip") or "0") or 0) + 1
    return js({"value": [{"Id": n, "Text": "x"}], "@odata.nextLink": op.s.url + f"/tasks-api/api/tasks?page={n}", "next": op.s.url + f"/tasks-api?page={n}"}, 200, ("Link", f'<{op.s.url}/tasks-api/api/tasks?page={n}>; rel="next"'))
modes = {
 "pages for ever": page,
 "same page": lambda r: js([{"Id": 1, "Text": "x"}], 200, ("Link", f'<{op.s.url}{r.path}>; rel="next"')),
 "retry 1e300": lambda r: js({"error": "x"}, 429, ("Retry-After", "1e300")), "retry neg": lambda r: js({"error": "x"}, 503, ("Retry-After", "-1")), "retry nan": lambda r: js({}, 429, ("Retry-After", "nan")), "retry inf": lambda r: js({}, 429, ("Retry-After", "inf")), "retry date": lambda r: js({}, 503, ("Retry-After", "Fri, 31 Dec 9999 23:59:59 GMT"), ("Date", "Thu, 01 Jan 1970 00:00:00 GMT")),
 "ms": lambda r: js({}, 429, ("retry-after-ms", "1e308")), "quota": lambda r: js({}, 429, ("RateLimit-Remaining", "0"), ("RateLimit-Reset", "9" * 400)),
 "deep": lambda r: js("[" * 100000), "escapes": lambda r: js({"error": E_, "error_description": E_, "message": E_, "detail": E_}, 400), "escapes list": lambda r: js([{"Id": E_, "Text": E_, "Notes": E_, "Due": E_, E_: E_}]), "reason": lambda r: (400, [("Content-Type", "text/plain; " + "x" * 3000)], E_.encode() * 1000),
 "odd ids": lambda r: js([{"Id": 1e300, "Text": "a"}, {"Id": None, "Text": "b"}, {"Id": [1], "Text": "c"}, {"Id": "../../etc", "Text": "d"}, {"Id": {"a": 1}}, None, 7, []] if r.method == "GET" else {"Id": [], "Text": {}}),
 "odd texts": lambda r: js([{"Id": i, "Text": t, "Due": d, "Completed": c} for i, (t, d, c) in enumerate([("a\0b", "9999999999-99-99", 7), ("x", "0000-00-00", "x"), ("x", 1e300, []), ("x", "+275760-09-13", None), (1, 2, 3), ({}, {}, {})])]),
 "redirect out": lambda r: (307, [("Location", "http://127.0.0.2:9/")], b""), "redirect loop": lambda r: (307, [("Location", r.path)], b""), "redirect file": lambda r: (302, [("Location", "file:///etc/passwd")], b""),
 "empty": lambda r: (200, [], b""), "html": lambda r: (200, [("Content-Type", "text/html")], b"<html>login</html>"), "204": lambda r: (204, [], b""), "xml": lambda r: (200, [("Content-Type", "application/json; charset=utf-16")], "[]".encode("utf-16")), "gzip": lambda r: (200, [("Content-Encoding", "gzip")], b"xx"),
}
import zlib
bomb = zlib.compress(b"[" + b"0," * 300_000_00 + b"0]", 9)
modes["zbomb"] = lambda r: (200, [("Content-Type", "application/json"), ("Content-Encoding", "deflate")], bomb)
put("t.csv", "Text,Due\nBuy milk,\nTwo,2027-01-31\n")
put("si.lua", SIGN_IN + 'print(a.name)'); sc, so, se = run("si.lua", *[], env_=env()) if 0 else lua(SIGN_IN + "print('in')", *S, "-A")
if "in" not in so: verdict(True, f"setup {sc} {so} {se}")
bad = []; res = {}
for k, m in modes.items():
    mode["v"] = m
    for c in (("tasks",), ("import", "t.csv", "--progress", "none", "--resume", "no", "--retries", "1", "--wait", "2", "--timeout", "3"), ("tasks", "add", "x"), ("export", "-")):
        t0 = time.time(); rc, o, e = run(*S, *c, timeout=12); dt = time.time() - t0
        res.setdefault(k, []).append((c[0], rc, round(dt, 1)))
        if crashed(rc, e) and rc != "TIMEOUT": bad.append((k, c, rc, e[-200:]))
        if rc == "TIMEOUT": bad.append((k, c[0], "TIMEOUT", e[-150:]))
        if "\x1b]" in e or "\x1b[2J" in e or ("\x1b[2J" in o and c[0] == "tasks"): bad.append((k, c[0], "escape", (o + e)[-200:]))
verdict(bad, f"{len(res) * 4} runs; bad {bad}")
