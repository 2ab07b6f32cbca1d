"""A run with interrupted = "again" that the end of the server cuts off is repeated after the next start, however the server ends."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
import signal as sg, shutil
SRC = 'local b2c = require "b2c"\nlocal run = b2c.job { summary = "x", on = { webhook = "/hooks/h", scheme = "none" }, interrupted = "again", overlap={parallel=3,queue=1000} }\nb2c.async.sleep(run.attempt > 1 and 0 or 6)'
res = {}
for name, seq in {"TERM TERM": [15, .3, 15], "TERM TERM fast": [15, .02, 15], "INT INT": [2, .3, 2], "TERM INT": [15, .2, 2], "TERM HUP": [15, .1, 1, .1, 15], "KILL": [9], "TERM KILL": [15, .2, 9], "drain 0": [15], "TERM TERM TERM": [15, .1, 15, .02, 15]}.items():
    shutil.rmtree(ROOT + "/home", True); put("jobs/h.lua", SRC)
    s = Serve(*(["--drain", "0"] if name == "drain 0" else [])); codes = [s.hook("/hooks/h", b"a")[0] for _ in range(4)]; time.sleep(.8)
    for x in seq:
        if isinstance(x, float): time.sleep(x)
        elif s.alive(): s.p.send_signal(x)
    try: end = s.p.wait(40)
    except subprocess.TimeoutExpired: s.p.kill(); end = "HANG"
    s = Serve(); time.sleep(3)
    rs = json.loads(s.get("/api/runs?limit=100")[1]); rs = rs if isinstance(rs, list) else rs["runs"]
    res[name] = (end, codes, [(r["state"], r.get("attempt")) for r in rs], [json.loads(s.get(f"/api/runs/{r['id']}")[1]).get("error", {}) for r in rs if r["state"] == "failed"][:1]); s.stop()
bad = {k: v for k, v in res.items() if v[0] == "HANG" or any(st == "failed" for st, _ in v[2]) or len(v[2]) != 4}
verdict(bad, f"bad {bad} all { {k: (v[0], v[2]) for k, v in res.items()} }")
