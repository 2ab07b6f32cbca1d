"""What attacks share: a server with jobs, raw requests, and the verdict."""
import os, sys, re
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from field import *
def verdict(broken, line=""):
    print(("BROKEN " if broken else "HELD ") + os.path.basename(sys.argv[0]) + " " + " ".join(str(line).split())[:900]); sys.stdout.flush(); 
    sys.exit(1 if broken else 0)
def freeport():
    s = socket.socket(); s.bind(("127.0.0.1", 0)); p = s.getsockname()[1]; s.close(); return p
class Serve:
    def __init__(self, *opts, listen=True, hooks=True, wait=True, cwd=None, env_=None, pass_fds=()):
        self.hp, self.lp = freeport(), freeport(); self.log = ROOT + "/serve.log"
        a = [BIN, "serve", *opts]
        if hooks: a += ["--hooks", f"127.0.0.1:{self.hp}"]
        if listen: a += ["--listen", f"127.0.0.1:{self.lp}"]
        os.makedirs(ROOT + "/work/jobs", exist_ok=True)
        self.p = subprocess.Popen(a, cwd=cwd or ROOT + "/work", env=env_ or env(), stdin=subprocess.DEVNULL, stdout=open(self.log, "ab"), stderr=subprocess.STDOUT)
        if wait:
            for _ in range(200):
                try:
                    if self.get("/readyz")[0] == 200: break
                except OSError: pass
                if self.p.poll() is not None: break
                time.sleep(.1)
    def req(self, port, method, path, body=None, headers={}, timeout=20):
        import http.client
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout); c.request(method, path, body, headers); r = c.getresponse(); return r.status, r.read(), dict(r.getheaders())
    def get(self, path, **k): return self.req(self.lp, "GET", path, **k)
    def hook(self, path, body=b"{}", headers={"Content-Type": "application/json"}, method="POST", **k): return self.req(self.hp, method, path, body, headers, **k)
    def api(self, path, body="{}", headers={"Content-Type": "application/json"}, **k): return self.req(self.lp, "POST", path, body, headers, **k)
    def raw(self, port, data, timeout=5):
        s = socket.create_connection(("127.0.0.1", port), timeout); s.sendall(data); out = b""
        try:
            while True:
                x = s.recv(65536)
                if not x: break
                out += x
        except OSError: pass
        s.close(); return out
    def text(self): return open(self.log, "rb").read().decode("utf-8", "replace")
    def alive(self): return self.p.poll() is None
    def stop(self, sig=15):
        if self.alive(): self.p.send_signal(sig)
        try: return self.p.wait(30)
        except subprocess.TimeoutExpired: self.p.kill(); return "TIMEOUT"
def runs(*a):
    rc, o, e = run("jobs", "runs", "--json", *a)
    return [json.loads(l) for l in o.splitlines() if l.strip()] if o.strip() and not o.strip().startswith("[") else json.loads(o or "[]")
