"""Two SIGTERMs in quick succession while webhooks come: no run with interrupted = "again" is recorded as failed by the server's own SIGKILL."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
import random, http.client
put("jobs/h.lua", 'local b2c = require "b2c"\nlocal run = b2c.job { summary = "x", on = { webhook = "/hooks/h", scheme = "none" }, interrupted = "again", overlap={parallel=3,queue=1000} }\nb2c.async.sleep(0.3)')
random.seed(1); found = None; n = 0; t0 = time.time()
for rnd in range(14):
    s = Serve(); stop = False
    def post():
        while not stop:
            try: s.hook("/hooks/h", b"x", {})
            except Exception: time.sleep(.02)
    ths = [threading.Thread(target=post) for _ in range(2)]; [t.start() for t in ths]
    time.sleep(.7); s.p.send_signal(15); time.sleep(random.choice([0, .001, .003, .01, .02])); s.p.send_signal(15)
    try: s.p.wait(40)
    except subprocess.TimeoutExpired: found = "HANG"; s.p.kill()
    stop = True; [t.join() for t in ths]; n += 1
    rc, o, e = run("jobs", "runs", "--failed", "--json", "--limit", "1000")
    if "signal 9" in o: found = o[:400]; break
    if time.time() - t0 > 90: break
verdict(found, f"after {n} stops: {found}")
