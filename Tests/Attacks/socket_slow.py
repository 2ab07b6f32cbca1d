"""Control socket and ports: other users are refused; half lines, deep and huge messages, 100 idle connections keep neither commands nor hooks out for long; files and folders are the owner's alone."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
import glob, stat
put("jobs/h.lua", 'local b2c = require "b2c"\nlocal run = b2c.job { summary = "x", on = { webhook = "/hooks/h", scheme = "none" }, overlap = { queue = 1000 } }')
os.umask(0); s = Serve(); sock = [os.path.join(d, f) for d, _, fs in os.walk(ROOT + "/home") for f in fs if stat.S_ISSOCK(os.lstat(os.path.join(d, f)).st_mode)]
bad = []; P = sock[0]
s.hook("/hooks/h"); time.sleep(1)
loose = [p for d, ds, fs in os.walk(ROOT + "/home/state") for p in [os.path.join(d, x) for x in ds + fs] if os.lstat(p).st_mode & 0o077 and not stat.S_ISLNK(os.lstat(p).st_mode)]
top = [p for p in loose if all(not (os.lstat(q).st_mode & 0o077 == 0) for q in [os.path.dirname(p)])]
if top: bad.append(("open to others", top[:4]))
pid = os.fork()
if pid == 0:
    os.setgid(65534); os.setuid(65534)
    x = socket.socket(socket.AF_UNIX)
    try: x.connect(P); os._exit(1)
    except OSError: os._exit(0)
if os.waitpid(pid, 0)[1] != 0: bad.append("another user connects")
def c():
    x = socket.socket(socket.AF_UNIX); x.connect(P); x.settimeout(5); return x
for m in (b"[" * 300000 + b"\n", b"{" + b'"a":{' * 5000 + b"\n", b"\xff\xfe\n" * 1000, b"null\n" * 1000, b'{"op":"run","job":"h","arguments":["\\ud800"]}\n', b'{"op":"run","job":"' + b"x" * 1000000 + b'"}\n', b'{"op":"cancel","run":-9223372036854775808}\n' * 500, b'{"op":"allow","job":"h","flags":["-A"]}\n', b'{"op":"allow","job":"h","flags":["--allow-run"]}\n', b'{"op":["run"]}\n', b'{"op":"state","value":1}\n', b"x" * 5000000):
    x = c()
    try: x.sendall(m); a = x.recv(3000)
    except OSError as e: a = repr(e).encode()
    if b'"ok":true' in a and b"allow" in m: bad.append(("allowed", a))
    x.close()
held = [c() for _ in range(99)]; t0 = time.time(); r = run("jobs", "pause", "h", timeout=20); dt = time.time() - t0
idle = [socket.create_connection(("127.0.0.1", s.hp)) for _ in range(600)]
for x in idle[:300]: x.send(b"POST /hooks/h HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n1")
t0 = time.time()
try: k = s.hook("/hooks/h", timeout=15)[0]
except OSError as e: k = repr(e)
dk = time.time() - t0; rd = s.get("/readyz")[0]
if k not in (202, 429) or dk > 10: bad.append(("hook", k, dk))
[x.close() for x in held + idle]; r2 = run("jobs", "resume", "h", timeout=20)
if r2[0] != 0: bad.append(("resume after", r2))
alive = s.alive(); e = s.stop(); 
verdict(bad or not alive or e != 0 or "Fatal" in s.text(), f"{bad} with 99 idle connections: {r[0]} {dt:.1f}s {r[2][-100:]} hook {k} {dk:.1f}s ready {rd} end {e}")
