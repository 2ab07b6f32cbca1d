"""Values of a run: retry_after, sleeps, waits, progress of odd numbers end neither server nor lose the error."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
N = {}
def job(n, body, more=""): N[n] = 1; put(f"jobs/{n}.lua", f'local b2c = require "b2c"\nlocal run = b2c.job {{ summary = "x", on = {{ start = true }} {more} }}\n' + body)
R = ", retry = { attempts = 3, first = '1s', most = '2s' }"
for i, v in enumerate(["1e300", "math.huge", "0/0", "-1", "'x'", "9223372036854775807", "-1e300", "{}"]):
    job(f"r{i}", f'error {{ code = "boom", message = "m", retry_after = {v} }}', R)
for i, v in enumerate(["1e300", "math.huge", "0/0", "'9223372036854775807s'", "'99999999999999999999d'", "'106751991167d'", "-5", "2999999999"]):
    job(f"s{i}", f"run.sleep({v})"); job(f"u{i}", f"run.sleep_until({v})"); 
    job(f"w{i}", f'run.wait_for {{ webhook = "/w{i}", timeout = {v} }}')
    job(f"p{i}", f"run.progress({v}, {v}, ('x'):rep(100000))")
job("st", "run.state.x = {}; local t = run.state.x; for i = 1, 250 do t.a = {}; t = t.a end; run.save()")
job("cy", "run.state.x = {}; run.state.x.x = run.state.x; run.save()")
job("nan", "run.state.x = 0/0; run.state.y = math.huge; run.save()")
job("step", "run.step('\\xff\\0x', function() return 1 end)")
job("wp", 'run.wait_for { webhook = "/\\xff\\27[2J" }')
job("wq", 'run.wait_for { webhook = "x" }')
job("big", "run.progress(1,2,('\\27]0;pwn\\7'):rep(2000000))")
s = Serve("--parallel", "6"); t0 = time.time()
while time.time() - t0 < 60:
    d = json.loads(s.get("/api/runs?limit=200")[1]); rs = d if isinstance(d, list) else d.get("runs", [])
    if len(rs) >= len(N) and not any(r.get("state") in ("due", "started", "running", "queued") for r in rs): break
    time.sleep(1)
alive = s.alive(); t = s.text()
rc, o, e = run("jobs", "runs", "--limit", "200"); 
bad = [r for r in rs if (r.get("error") or {}).get("code") in ("signal", "exit", "host_error") ]
pg = [s.get(f"/runs/{r['id']}")[0] for r in rs][:200]
e2 = s.stop(); s2 = Serve(); again = s2.alive() and s2.get("/readyz")[0]; s2.stop()
verdict(not alive or bad or rc or e2 != 0 or again != 200 or "\x1b" in o or any(p != 200 for p in pg), f"alive {alive} n {len(rs)}/{len(N)} bad {bad} rc {rc} {e[:200]} end {e2} again {again} states { {r['job']: (r['state'], (r.get('error') or {}).get('code')) for r in rs} }")
