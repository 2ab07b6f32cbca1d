"""Another user of the machine: the control socket, the folders and the process of `serve`, of a session and of a signed-in script. Needs root, to be two users."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
import pty, glob
if os.getuid() != 0: print("HELD users.py not root: nothing tried"); sys.exit(0)
os.chmod(ROOT, 0o755); op = OP(); S = op.settings(); SECRET = "s3cr3t-of-the-user-0815"; bad = []; n = 0
put("in.lua", SIGN_IN + "print(a.name)"); run(*S, "--no-prompt", "in.lua"); run("secrets", "set", "orders", stdin=SECRET.encode())
put("jobs/j.lua", 'local b2c = require "b2c"\nlocal run = b2c.job { summary = "x", on = { every = "9h" } }\nprint(run)\n')
put("slow.lua", 'local b2c = require "b2c"\nlocal s = b2c.secrets.get "orders"\nprint "ready"\nb2c.async.sleep(60)\n')
s = Serve(*S[0:0], hooks=False); p = subprocess.Popen([BIN, *S, "--no-prompt", "--allow-secret=orders", "--trace", "t.json", "slow.lua"], cwd=ROOT + "/work", env=env(), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
p.stdout.readline(); m, sl = pty.openpty(); r = subprocess.Popen([BIN, *S], cwd=ROOT + "/work", env=env(TERM="xterm"), stdin=sl, stdout=sl, stderr=sl, start_new_session=True); time.sleep(1)
def nobody(code):
    """What a program of the user nobody prints."""
    q = subprocess.run(["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", sys.executable, "-c", code], capture_output=True, text=True, timeout=60); return q.stdout.strip()
files = [os.path.join(d, f) for d, ds, fs in os.walk(ROOT + "/home") for f in fs + ds] + [f for f in glob.glob(ROOT + "/work/*") if f.endswith("t.json")]
got = nobody(f"""
import os, socket, stat
for f in {files!r}:
    try:
        if stat.S_ISDIR(os.lstat(f).st_mode): print("lists", f, os.listdir(f)); continue
        if stat.S_ISSOCK(os.lstat(f).st_mode):
            s = socket.socket(socket.AF_UNIX); s.connect(f); print("connects", f); continue
        open(f, "rb").read(); print("reads", f)
    except OSError as e: pass
    try: open(f, "ab"); print("writes", f)
    except OSError: pass
for p in {[s.p.pid, p.pid, r.pid]!r}:
    for f in ("environ", "mem", "maps", "fd", "cwd", "exe", "io", "stack", "syscall", "auxv"):
        try:
            q = f"/proc/{{p}}/{{f}}"; x = os.listdir(q) if f == "fd" else os.readlink(q) if f in ("cwd", "exe") else open(q, "rb").read(10)
            print("process", q)
        except OSError: pass
    try: os.kill(p, 0); print("signals", p)
    except OSError: pass
import re
for line in open("/proc/net/unix"):
    if "@" in line and "b2c" in line:
        name = line.split()[-1]; s = socket.socket(socket.AF_UNIX)
        try: s.connect("\\0" + name[1:]); print("abstract", name)
        except OSError: pass
""")
n += len(files) + 33
if got: bad.append(got[:700])
if not any("sock" in f for f in files): bad.append(("no socket found", [f for f in files][:20]))
# The same user's other processes, and what the list of processes shows.
for q in (s.p.pid, p.pid, r.pid):
    if SECRET.encode() in open(f"/proc/{q}/cmdline", "rb").read(): bad.append(("in the arguments", q))
# Shared memory, temporary files and core files of the program.
for d in ("/dev/shm", ROOT):
    for f in os.listdir(d):
        q = os.path.join(d, f)
        try:
            st = os.lstat(q)
            if "b2c-run" in f and st.st_mode & 0o077 and st.st_uid == 0 and not os.path.islink(q): bad.append(("open to others", q, oct(st.st_mode)))
        except OSError: pass
for x in (p, r): x.kill(); x.wait()
s.stop()
# Pages without a sign-in: another site in the browser of this machine.
s = Serve(hooks=False); import itertools
for path, origin, site, host in itertools.product(("/jobs/j/run", "/api/jobs/j/run", "/jobs/j/pause", "/api/jobs/j/pause"), ("http://evil.example", "null", f"http://localhost:{s.lp + 1}", f"http://127.0.0.1:{s.lp}.evil.example", f"http://127.0.0.1:{s.lp}@evil.example"), (None, "cross-site", "same-site"), (None, "evil.example", f"evil.example:{s.lp}")):
    n += 1; h = {"Origin": origin, "Content-Type": ("text/plain", "multipart/form-data; boundary=x", "text/plain; a=application/json", "application/x-www-form-urlencoded")[n % 4] if "/api/" in path else "application/x-www-form-urlencoded"}  # A browser asks before it sends JSON elsewhere.
    if site: h["Sec-Fetch-Site"] = site
    if host: h["Host"] = host
    st, body, _ = s.req(s.lp, "POST", path, "{}" if "/api/" in path else "a=1", h)
    if st < 400: bad.append((path, origin, site, host, st))
for path in ("/", "/jobs/j", "/api/jobs"):
    st, body, h = s.req(s.lp, "GET", path, None, {"Host": "evil.example"}); n += 1
    if st < 400: bad.append(("rebinding", path, st))
    st, body, h = s.req(s.lp, "GET", path, None, {"Origin": "http://evil.example"}); n += 1
    if any(k.lower().startswith("access-control") for k in h): bad.append(("cors", path, h))
    st, body, h = s.req(s.lp, "OPTIONS", path + ("/jobs/j/run" if path == "/api/jobs" else ""), None, {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}); n += 1
    if any(k.lower().startswith("access-control") for k in h): bad.append(("preflight", path, h))
s.stop(); verdict(bad, f"{n} attacks; bad {bad}")
