"""SSLKEYLOGFILE, LUA_INIT, LD_*, GNUTLS_*: ignored in scripts, jobs and stock commands; --tls-keys FILE needs the option and does not follow into closed files."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", ROOT + "/k.pem", "-out", ROOT + "/c.pem", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], capture_output=True)
c = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); c.load_cert_chain(ROOT + "/c.pem", ROOT + "/k.pem")
v = Server(lambda r: js({"ok": 1}), tls=c); K = ROOT + "/keys"
code = f'local b2c = require "b2c"\nprint(b2c.http.get("{v.url}/x").status)\n'
e = env(SSLKEYLOGFILE=K, LUA_INIT="@/nonexistent", LUA_INIT_5_4="error('x')", LUA_PATH="/tmp/?.lua", GNUTLS_DEBUG_LEVEL="9")
put("x.lua", code); put("jobs/j.lua", "-- needs: --allow-net=127.0.0.1\n" + code.replace('\nprint', '\nlocal run = b2c.job { summary = "x", on = { start = true } }\nprint'))
r1 = run("--cacert", ROOT + "/c.pem", "-A", "x.lua", env_=e); run("jobs", "allow", "j", "--yes")
s = Serve("--cacert", ROOT + "/c.pem", env_=e); time.sleep(4); log = s.get("/api/runs/1/log")[1]; s.stop()
a = os.path.exists(K)
# the keys of a job: --tls-keys of serve
s = Serve("--cacert", ROOT + "/c.pem", "--tls-keys", ROOT + "/k2"); time.sleep(4); s.stop(); k2 = os.path.exists(ROOT + "/k2")
os.symlink(ROOT + "/work/x.lua", ROOT + "/k3"); r3 = run("--tls-keys", ROOT + "/k3", "--cacert", ROOT + "/c.pem", "-A", "x.lua")
m = oct(os.stat(ROOT + "/k2").st_mode & 0o777) if k2 else None
# can a script read the key log, or set the variable (os.setenv) / choose --tls-keys in its header?
put("hdr.lua", "-- needs: --tls-keys=" + ROOT + "/k4\n" + code); r4 = run("--cacert", ROOT + "/c.pem", "-A", "hdr.lua")
put("rd.lua", f'local b2c = require "b2c"\nb2c.http.get("{v.url}/x")\nprint(pcall(io.open, "{ROOT}/k5", "r"))\nlocal f = io.open("{ROOT}/k5"); print(f and #f:read("a"))'); r5 = run("--tls-keys", ROOT + "/k5", "--cacert", ROOT + "/c.pem", "--allow-net", "--allow-read", "rd.lua")
verdict(a or r1[0] != 0 or b"200" not in log or os.path.exists(ROOT + "/k4"), f"keylog by env {a}, r1 {r1}, log {log[:300]}, serve --tls-keys file {k2} mode {m}, via link {r3[0]} x.lua appended {'CLIENT' in open(ROOT + '/work/x.lua').read()}, script reads its key log {r5[1][-100:]!r} {r5[2][-100:]!r}")
