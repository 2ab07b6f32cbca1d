"""Hook and API bodies: deep, huge, odd types, with key and json()."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
put("jobs/h.lua", 'local b2c = require "b2c"\nlocal run = b2c.job { summary = "x", on = { webhook = "/hooks/h", scheme = "none" }, overlap={parallel=2,queue=1000,key="json.a.b.c"} }\nif run.event.json then print(pcall(run.event.json)) end')
s = Serve()
bodies = [b"["*500000, b'{"a":'*200000, b'{"a":'*255+b"1"+b"}"*255, b'{"a":{"b":{"c":'+b"["*240+b"]"*240+b"}}}", b'{"a":{"b":{"c":1e999}}}', b'{"a":{"b":{"c":"'+b"x"*1000000+b'"}}}', b'{"a":{"b":{"c":"\xff\xfe"}}}', '{"a":{"b":{"c":"\U0010ffaf"}}}'.encode(), b'{"a":{"b":{"c":"\\u0000"}}}', b'{"a":{"b":{"c":9223372036854775808}}}', b"\0"*1000, b"payload=" + b"["*900000, b'{"a":{"b":{"c":"\\ud800"}}}', b'{"":{}}', b"null", b""]
out = []
for b in bodies:
    for ct in ("application/json", "application/x-www-form-urlencoded"):
        try: out.append(s.hook("/hooks/h", b, {"Content-Type": ct})[0])
        except OSError as e: out.append(repr(e))
api = []
for p in ("/api/jobs/h/run", "/api/jobs/h/pause", "/api/runs/1/cancel", "/api/runs/99999999999999999999/cancel", "/api/runs/-1/retry", "/api/jobs/%00/run", "/api/jobs/..%2f/run", "/api/jobs/h%F4%8F%BF%BF/run", "/api/jobs/h/allow"):
    for b in ("nul", "[]", '{"arguments":"x"}', '{"arguments":[1]}', '{"arguments":["\\u0000"]}', "["*200000, '{"flags":["-A"]}', '{"job":"h"}', '{"arguments":' + "["*300 + "]"*300 + "}", '{"arguments":["a"],"arguments":["b"]}', "\ufeff{}x", '{"arguments":null}'):
        try: api.append((p, b[:20], s.api(p, b.encode())[0]))
        except OSError as e: api.append((p, b[:20], repr(e)))
okd = [x for x in api if x[2] == 200]
time.sleep(8); t0 = time.time(); g = s.get("/readyz")[0]; dt = time.time() - t0
pages = [s.get("/" + x)[0] for x in ("", "jobs/h", "runs/1", "runs/5", "api/runs?limit=1000", "hooks", "metrics")]
alive = s.alive(); t = s.text(); e = s.stop()
verdict(not alive or okd or g != 200 or dt > 2 or "Fatal" in t or e != 0 or any(p >= 500 for p in pages), f"hooks {out} api200 {okd} ready {g} {dt:.2f} end {e} pages {pages} log {t[-300:]} others {[x for x in api if not isinstance(x[2],int) or x[2]>=500]}")
