"""Pipes, devices, folders, links to them, endless and huge files in place of keys, certificates, settings, traces, plugins and secrets: each command ends in time, with little memory, without a crash."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
import concurrent.futures, resource
op = OP(); op.settings(); W = ROOT + "/work"
os.mkfifo(W + "/fifo.pem"); os.mkfifo(W + "/fifo.lua"); os.mkfifo(W + "/fifo.csv"); os.mkfifo(W + "/fifo_test.lua"); os.makedirs(W + "/folder.pem", exist_ok=True); os.symlink("loop.pem", W + "/loop.pem"); os.symlink("/dev/zero", W + "/zero.pem"); os.symlink("/proc/self/mem", W + "/mem.pem"); os.symlink("/proc/self/environ", W + "/environ.pem"); os.symlink("/dev/full", W + "/full.pem"); os.symlink("/dev/tty", W + "/tty.pem"); os.symlink("/proc/self/fd/0", W + "/stdin.pem")
with open(W + "/huge.pem", "wb") as f: f.truncate(6 << 30)
put("many.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n" * 200000); put("lines.pem", "\n" * 50_000_000); put("nul.pem", b"\0" * 1000); put("base64.pem", "-----BEGIN PRIVATE KEY-----\n" + "QUFB" * 10_000_000 + "\n-----END PRIVATE KEY-----\n"); put("deep.pem", "[" * 1_000_000)
s = socket.socket(socket.AF_UNIX); s.bind(W + "/socket.pem")
odd = ["fifo.pem", "folder.pem", "loop.pem", "zero.pem", "mem.pem", "full.pem", "tty.pem", "stdin.pem", "huge.pem", "many.pem", "lines.pem", "nul.pem", "base64.pem", "deep.pem", "socket.pem", "/dev/zero", "/dev/random", "/dev/null", "missing.pem"]
put("in.lua", SIGN_IN + "print(a.name)"); put("say.lua", "print(1)"); put("jobs/j.lua", 'local b2c = require "b2c"\nlocal run = b2c.job { summary = "x", on = { every = "9h" } }')
X = ["--settings", "settings.json"]
uses = {"cacert": lambda f: ["--cacert", f, *X, "in.lua"], "clientKey": lambda f: [*X, "--set", "clientAuthentication=private_key_jwt", "--set", "clientKey=" + f, "in.lua"], "clientKey@": lambda f: [*X, "--set", "clientAuthentication=private_key_jwt", "--set", "clientKey=@" + f, "in.lua"], "certificate": lambda f: [*X, "--set", "clientAuthentication=tls_client_auth", "--set", "clientCertificate=" + f, "--set", "clientCertificateKey=" + f, "in.lua"],
 "secret": lambda f: [*X, "--set", "clientSecret=@" + f, "in.lua"], "settings": lambda f: ["--settings", f, "in.lua"], "secrets set": lambda f: ["secrets", "set", "x", "--from", f], "key import": lambda f: ["store", "key", "import", f], "tls-keys": lambda f: ["--tls-keys", f, *X, "in.lua"], "plugin": lambda f: ["--plugin", f, "say.lua"], "script": lambda f: [f], "check": lambda f: ["check", f], "help": lambda f: ["help", f], "trace": lambda f: ["trace", f], "trace to": lambda f: ["--trace", f, *X, "in.lua"], "import": lambda f: [*X, "import", f, "--format", "csv", "--progress", "none"], "journal": lambda f: [*X, "import", "rows.csv", "--journal", f, "--progress", "none"], "sync": lambda f: [*X, "sync", "tasks", "@Alice", "--journal", f],
 "job file": lambda f: ["jobs", "next", f], "store": lambda f: ["--store", f, *X, "in.lua"], "jose": lambda f: ["-A", "-e", f"print(pcall(require('b2c').jose.key.load, io.open('{f}')))"], "tenant data": lambda f: [f"--local={f}", "say.lua"], "serve sign-in": lambda f: ["serve", "--listen", "127.0.0.1:0", "--sign-in", f], "tenant tls": lambda f: ["tenant", "--tls", "--port", "0", "--client-ca", f], "test": lambda f: ["test", f], "report": lambda f: [*X, "import", "rows.csv", "--report", f, "--progress", "none"], "load": lambda f: ["-A", "-e", f"print(pcall(loadfile, '{f}'))"], "http body": lambda f: ["-A", *X, "-e", f"print(pcall(b2c.http.post, '{op.s.url}/x', {{ form = {{ x = {{ file = '{f}' }} }} }}))"]}
# These wait for a pipe as they should: another program may write to it.
STREAMS = {"clientKey", "clientKey@", "secret", "settings", "secrets set", "script", "check", "help", "import", "job file", "load", "trace", "test"}
put("rows.csv", "Text\na\n"); bad = []; res = {}
def limit(): resource.setrlimit(resource.RLIMIT_AS, (1 << 44, 1 << 44)); resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))
def attempt(case):
    use, f = case
    if use == "journal" and f.startswith("/dev") or use in STREAMS and f in ("fifo.pem", "tty.pem"): return
    # A script may load what it may read, and a large secret takes its time.
    if use == "load" or (use, f) in (("secrets set", "deep.pem"), ("http body", "huge.pem"), ("check", "lines.pem"), ("check", "base64.pem"), ("tls-keys", "fifo.pem")) or use == "import" and f in ("lines.pem", "base64.pem", "deep.pem"): return
    words = uses[use](f); t0 = time.time(); home = ROOT + f"/h{abs(hash(case))}"
    p = subprocess.Popen([BIN, "--timeout", "30", *words] if use not in ("secrets set", "key import", "check", "help", "trace", "job file", "serve sign-in", "tenant tls", "test") else [BIN, *words], cwd=W, env=env(XDG_STATE_HOME=home, B2C="1"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=limit)
    p.stdin.close(); out = []; threading.Thread(target=lambda: out.append(p.stdout.read(1 << 22).decode("utf-8", "replace")), daemon=True).start(); peak = 0
    # A server runs until somebody ends it. A command ends by itself or by --timeout, later on a busy machine.
    while p.poll() is None and time.time() - t0 < (12 if use in ("serve sign-in", "tenant tls") else 45):
        try: peak = max(peak, int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{p.pid}/status").read()).group(1)))
        except (OSError, AttributeError): pass
        time.sleep(.05)
    rc = p.poll()
    if rc is None:
        rc = "TIMEOUT" if use not in ("serve sign-in", "tenant tls") else "serves"; p.terminate(); time.sleep(.5); p.kill()
    p.wait(); time.sleep(.05); o = (out or [""])[0]
    res[use, f] = (rc, round(time.time() - t0, 1), peak // 1024)
    # A script that prints without an end, or reads a file of gigabytes, does what it was told: --timeout and --memory end it.
    if crashed(rc, o) or peak > 600_000: bad.append((use, f, rc, peak // 1024, o[-160:]))
only = sys.argv[2:]
work = [(u, f) for u in uses for f in odd if not only or u in only or f in only]
with concurrent.futures.ThreadPoolExecutor(4) as pool: list(pool.map(attempt, work))
if only:
    for b in bad: print(b)
verdict(bad, f"{len(res)} checks; {[b[:4] for b in bad]} {bad}")
