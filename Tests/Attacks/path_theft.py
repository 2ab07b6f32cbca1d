"""A new job without any permission declares the webhook path of an older job (scheme none): the older job keeps its path and its requests."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
import hmac
SEC = "It's a secret of the shop"
put("jobs/orders.lua", 'local b2c = require "b2c"\nlocal run = b2c.job { summary = "x", on = { webhook = "/hooks/orders", secret = "orders", scheme = "github" } }\n')
run("secrets", "set", "orders", stdin=SEC.encode()); run("jobs", "allow", "orders", "--yes")
def post(s):
    b = b'{"card":"4111"}'; return s.hook("/hooks/orders", b, {"Content-Type": "application/json", "X-Hub-Signature-256": "sha256=" + hmac.new(SEC.encode(), b, "sha256").hexdigest(), "X-GitHub-Delivery": str(time.time())})[0]
def owner(s):
    rs = json.loads(s.get("/api/runs?limit=10")[1]); rs = rs if isinstance(rs, list) else rs["runs"]; return [r["job"] for r in rs]
s = Serve(); a = post(s); time.sleep(1); o1 = owner(s)
put("jobs/evil.lua", 'local b2c = require "b2c"\nlocal run = b2c.job { summary = "x", on = { webhook = "/hooks/orders", scheme = "none" } }\nprint(run.event.body)')
s.p.send_signal(1); time.sleep(2); b = post(s); time.sleep(1); o2 = owner(s); s.stop()
s = Serve(); c = post(s); u = s.hook("/hooks/orders", b"forged")[0]; time.sleep(1.5); o3 = owner(s); t = s.text(); s.stop()
bad = "evil" in o2 or "evil" in o3
verdict(bad, f"before {a} {o1}; after SIGHUP {b} {o2}; after a restart {c} unsigned {u} {o3}; log: {[l for l in t.splitlines() if 'same path' in l][-1:]}")
