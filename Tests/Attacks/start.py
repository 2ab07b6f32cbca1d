"""serve: kill -9, SIGTERM, SIGHUP at every moment of a start, with webhooks (202 = exactly one run, none lost) and commands."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
import random
for i in range(25): put(f"jobs/z{i}.lua", 'local b2c = require "b2c"\nlocal run = b2c.job { summary = "x", on = { cron = "0 3 * * *" } }\n')
put("jobs/h.lua", 'local b2c = require "b2c"\nlocal run = b2c.job { summary = "x", on = { webhook = "/hooks/h", scheme = "none" }, interrupted = "again", overlap={parallel=3,queue=1000} }\nlocal f = io.open("out/" .. tostring(run.event.body), "a"); if f then f:write("x\\n") f:close() end', )
os.makedirs(ROOT + "/work/out")
p = ROOT + "/work/jobs/h.lua"; t = open(p).read(); open(p, "w").write("-- needs: --allow-write=../out  x\n" + t)
open(p, "w").write("-- needs: --allow-write=out  x\n" + t)
print(run("jobs", "allow", "h", "--yes"))
sent = {}; hp = freeport(); lock = threading.Lock(); stop = False; n = 0; codes = {}
import http.client
def post():
    global n
    while not stop:
        with lock: n += 1; me = n
        try:
            c = http.client.HTTPConnection("127.0.0.1", hp, timeout=15); c.request("POST", "/hooks/h", f"e{me}", {}); r = c.getresponse(); r.read()
            codes[r.status] = codes.get(r.status, 0) + 1
            if r.status == 202: sent[f"e{me}"] = 1
        except OSError: pass
        except http.client.HTTPException: pass
        time.sleep(.05)
ths = [threading.Thread(target=post) for _ in range(2)]; [x.start() for x in ths]
random.seed(int(os.environ.get("SEED", "7"))); ends = []
for rnd in range(14):
    a = [BIN, "serve", "--hooks", f"127.0.0.1:{hp}"]
    q = subprocess.Popen(a, cwd=ROOT + "/work", env=env(), stdin=subprocess.DEVNULL, stdout=open(ROOT + "/serve.log", "ab"), stderr=subprocess.STDOUT)
    time.sleep(random.choice([.05, .1, .2, .3, .5, .8, 1.2]))
    cmd = subprocess.Popen([BIN, "jobs", random.choice(["pause", "resume"]), "z1"], cwd=ROOT + "/work", env=env(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if rnd % 3 == 0: q.send_signal(1); time.sleep(.1)
    if rnd % 4 == 1: q.send_signal(15); time.sleep(.02); q.send_signal(1)
    q.send_signal(random.choice([9, 9, 15]))
    try: ends.append(q.wait(45))
    except subprocess.TimeoutExpired: ends.append("HANG"); q.kill(); q.wait()
    try: cmd.wait(15)
    except subprocess.TimeoutExpired: ends.append("CMDHANG"); cmd.kill()
stop = True; [x.join() for x in ths]
s = Serve(); run("jobs", "resume", "h"); t0 = time.time()
while time.time() - t0 < 45:
    rs = json.loads(s.get("/api/runs?limit=1000")[1]); rs = rs if isinstance(rs, list) else rs["runs"]
    rs = [json.loads(s.get(f"/api/runs/{r['id']}")[1]) if r['state'] == 'failed' else r for r in rs]
    if not any(r["state"] in ("due", "started") for r in rs): break
    time.sleep(1)
s.stop()
fl = [(r["id"], r.get("error"), r.get("state")) for r in rs if r["state"] not in ("ok",)]
missing = [b for b in sent if not os.path.exists(ROOT + "/work/out/" + b)]
st = {}
for r in rs: st[r["state"]] = st.get(r["state"], 0) + 1
logt = s.text()
verdict(missing or "HANG" in ends or "CMDHANG" in ends or 404 in codes or "Fatal" in logt or st.get("failed"), f"sent {len(sent)} codes {codes} missing {len(missing)} {missing[:5]} ends {ends} states {st} {fl}" + (logt[-600:] if missing else ""))
