"""A server of --store that does not follow the rules before and while somebody is connected: each command ends in time, also at the sign-in of the database."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
import struct
E_ = b"\x1b]0;PWN\x07\x1b[2J"
def msg(t, b): return t + struct.pack("!I", len(b) + 4) + b
def auth(n, b=b""): return msg(b"R", struct.pack("!I", n) + b)
OK = auth(0) + msg(b"S", b"server_version\x0015.0\0") + msg(b"S", b"client_encoding\0UTF8\0") + msg(b"S", b"default_transaction_read_only\0off\0") + msg(b"S", b"in_hot_standby\0off\0") + msg(b"K", b"\0" * 8) + msg(b"Z", b"I")
def err(m, code=b"XX000", s=b"ERROR"): return msg(b"E", b"S" + s + b"\0V" + s + b"\0C" + code + b"\0M" + m + b"\0\0")
def read(c):
    head = c.recv(5, socket.MSG_WAITALL)
    if len(head) < 5: return None, b""
    n = struct.unpack("!I", head[1:])[0] - 4; return head[:1], c.recv(n, socket.MSG_WAITALL) if n else b""
def start(c):
    n = struct.unpack("!I", c.recv(4, socket.MSG_WAITALL))[0]; b = c.recv(n - 4, socket.MSG_WAITALL)
    if b[:4] == struct.pack("!I", 80877103): c.sendall(b"N"); start(c)
def scram(iterations):
    def go(c):
        start(c); c.sendall(auth(10, b"SCRAM-SHA-256\0\0")); t, b = read(c)
        nonce = b.split(b"r=")[1]; c.sendall(auth(11, b"r=" + nonce + b"x,s=" + base64.b64encode(b"0" * 16) + b",i=" + iterations)); time.sleep(100)
    return go
def once(data, wait=60):
    def go(c): start(c); c.sendall(data); time.sleep(wait)
    return go
def flood(data):
    def go(c):
        start(c)
        while True: c.sendall(data * 1000)
    return go
def trickle(data):
    def go(c):
        start(c)
        while True: c.sendall(data); time.sleep(.5)
    return go
def answers(data):
    """Lets everybody in, and answers each statement with the same."""
    def go(c):
        start(c); c.sendall(OK)
        while True:
            t, b = read(c)
            if t is None or t == b"X": return
            if t in b"QS": c.sendall(data)
    return go
T = lambda *names: msg(b"T", struct.pack("!H", len(names)) + b"".join(n + b"\0" + struct.pack("!IHIhih", 0, 0, 25, -1, -1, 0) for n in names))
D = lambda *v: msg(b"D", struct.pack("!H", len(v)) + b"".join(struct.pack("!i", len(x)) + x for x in v))
Z = msg(b"Z", b"I"); C = msg(b"C", b"SELECT 1\0"); P = msg(b"1", b"") + msg(b"2", b"")
cases = {"scram 2^31": (scram(b"2147483647"), "u:p@"), "scram 10^7": (scram(b"40000000"), "u:p@"), "scram -1": (scram(b"-1"), "u:p@"), "nothing": (lambda c: time.sleep(100), "u@"), "notices": (flood(msg(b"N", b"SNOTICE\0C00000\0M" + E_ + b"\0\0")), "u@"), "notices after": (answers(msg(b"N", b"SNOTICE\0C00000\0M" + E_ + b"\0\0") * 1000), "u@"),
 "trickle": (trickle(msg(b"S", b"a\0b\0")), "u@"), "parameters": (flood(msg(b"S", b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\0b\0")), "u@"), "names": (lambda c: (start(c), c.sendall(auth(0)), [c.sendall(msg(b"S", b"n%d\0" % i + b"x" * 20000 + b"\0")) for i in range(10**7)]), "u@"),
 "http": (lambda c: (c.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n"), time.sleep(1)), "u@"), "old error": (lambda c: (c.sendall(b"E" + E_ * 1000 + b"\0"), time.sleep(1)), "u@"), "refuses": (once(err(E_ * 500, b"28P01", b"FATAL"), 1), "u@"), "gss": (once(auth(7)), "u@"), "sspi": (once(auth(9)), "u@"), "clear": (once(auth(3) + auth(3) + auth(3)), "u:p@"), "huge length": (once(b"R" + b"\x7f\xff\xff\xff"), "u@"),
 "errors": (answers(P + err(E_, b"57014") + Z), "u@"), "conflict": (answers(P + err(b"x", b"40001") + Z), "u@"), "starting": (once(err(b"x", b"57P03", b"FATAL"), 1), "u@"), "no state": (answers(P + msg(b"E", b"\0") + Z), "u@"), "columns": (answers(P + T(b"a") + D(b"1") + T(b"a", b"b", b"c") + D(b"1", b"2", b"3") + C + Z), "u@"), "short row": (answers(P + T(b"a", b"b") + D(b"1") + C + Z), "u@"), "no columns": (answers(P + T() + D() * 100000 + C + Z), "u@"), "bad length": (answers(P + T(b"a") + msg(b"D", struct.pack("!Hi", 1, -5)) + C + Z), "u@"), "names of columns": (answers(P + T(*[E_] * 1600) + D(*[b"\xff\xfe"] * 1600) + C + Z), "u@"), "no T": (answers(P + D(b"1") + C + Z), "u@"), "function call": (answers(msg(b"V", b"\0\0\0\1x")), "u@"), "notify": (answers(msg(b"A", b"\0\0\0\1a\0" + b"x" * 10000 + b"\0") * 2000), "u@"), "copy both": (answers(P + msg(b"W", b"\0\0\0")), "u@"), "endless Z": (answers(Z * 10000), "u@")}
bad = []; res = {}
put("use.lua", 'local b2c = require "b2c"\nprint(pcall(b2c.accounts.list))\n')
def attempt(item):
    name, (go, user) = item; l = socket.socket(); l.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); l.bind(("127.0.0.1", 0)); l.listen(50)
    def serve():
        while True:
            try: c, _ = l.accept()
            except OSError: return
            def one(c=c):
                try: go(c); c.close()
                except (OSError, struct.error, IndexError): pass
            threading.Thread(target=one, daemon=True).start()
    threading.Thread(target=serve, daemon=True).start()
    t0 = time.time(); peak = 0
    p = subprocess.Popen([BIN, "--store", f"postgresql://{user}127.0.0.1:{l.getsockname()[1]}/x?sslmode=disable", "store"], cwd=ROOT + "/work", env=env(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    out = []; threading.Thread(target=lambda: out.append(p.stdout.read().decode("utf-8", "replace")), daemon=True).start()
    while p.poll() is None and time.time() - t0 < 120:
        try: peak = max(peak, int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{p.pid}/status").read()).group(1)))
        except (OSError, AttributeError): pass
        time.sleep(.1)
    rc = p.poll()
    if rc is None: p.kill(); rc = "TIMEOUT"
    p.wait(); time.sleep(.1); o = (out or [""])[0]; l.close()
    res[name] = (rc, round(time.time() - t0, 1), peak // 1024)
    if crashed(rc, o) or peak > 700_000 or "\x1b]0" in o or "\x1b[2J" in o: bad.append((name, res[name], o[-200:]))
import concurrent.futures
only = sys.argv[2:] 
with concurrent.futures.ThreadPoolExecutor(8) as pool: list(pool.map(attempt, [i for i in cases.items() if not only or i[0] in only]))
if only: print(res)
verdict(bad, f"{len(res)} servers; bad {bad} {max((v[1], k) for k, v in res.items())}")
