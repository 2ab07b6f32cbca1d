"""run.wait_for: no path of another job, no odd path; a wait's answer reaches only its own run; a reload does not give a wait away."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
def j(n, path): put(f"jobs/{n}.lua", f'local b2c = require "b2c"\nlocal run = b2c.job {{ summary = "x", on = {{ start = true }} }}\nlocal a = run.wait_for {{ webhook = "{path}", timeout = "1h" }}\nprint(a and a.body)')
put("jobs/h.lua", 'local b2c = require "b2c"\nlocal run = b2c.job { summary = "x", on = { webhook = "/hooks/h", scheme = "none" } }')
ps = ["/hooks/h", "/hooks/h/", "//hooks/h", "/hooks/./h", "/x/../hooks/h", "/hooks/%68", "/hooks/h?x", "/hooks/h#x", "/HOOKS/h", "/healthz", "/", "/hooks/h\\0", "/hooks/h ", "/ok1", "/e\\u{301}", "/\\u{e9}", "/\\xe9", "/\\u{10ffe9}"]
for i, p in enumerate(ps): j(f"w{i:02d}", p)
s = Serve("--parallel", "8"); time.sleep(7)
def state():
    rs = json.loads(s.get("/api/runs?limit=100")[1]); rs = rs if isinstance(rs, list) else rs["runs"]; return {r["job"]: (r["state"], (r.get("error") or {}).get("code")) for r in rs}
s1 = state(); raw = {}
for t in ("/hooks/h", "/hooks/h/", "//hooks/h", "/hooks/./h", "/x/../hooks/h", "/hooks/%68", "/hooks/%2568", "/hooks/h?x", "/%65%CC%81", "/%C3%A9", "/%E9", "/%F4%8F%BF%A9", "/HOOKS/h"):
    b = state(); raw[t] = s.raw(s.hp, f"POST {t} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nConnection: close\r\n\r\nz".encode())[9:12]; time.sleep(1.2); a = state(); raw[t] = (raw[t], [k for k in a if a[k] != b.get(k)])
g = s.raw(s.hp, b"GET /ok1 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"); st = state()
# a reload with a job that takes a path of a wait
put("jobs/thief.lua", 'local b2c = require "b2c"\nlocal run = b2c.job { summary = "x", on = { webhook = "/ok1", scheme = "none" } }\n'); s.p.send_signal(1); time.sleep(2.5)
r = s.hook("/ok1", b"approve")[0]; time.sleep(2); fin = state(); alive = s.alive(); log = [l for l in s.text().splitlines() if "thief" in l or "ok1" in l][-3:]; s.stop()
bad = []
if s1.get("w00") != ("failed", "path_taken"): bad.append(("takes the hook", s1.get("w00")))
if "thief" in fin: bad.append(("a new job takes the request of a wait", fin.get("thief"), fin.get("w13")))
multi = {t: v for t, v in raw.items() if len([k for k in v[1] if k != "h"]) > 1}
if multi: bad.append(("one request, several waits", multi))
verdict(bad or not alive, f"{bad} raw {raw} states { {ps[int(k[1:])]: v for k, v in s1.items() if k[0] == 'w'} } log {log}")
