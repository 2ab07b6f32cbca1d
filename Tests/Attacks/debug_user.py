"""debug --listen: another user of the machine connects to the port and sends launch, also with its end closed at once. Only the user who started it is served."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
if os.geteuid(): verdict(False, "(not tried: only root can be another user)")
"x".encode("idna")   # loads the codec: another user may not read the files of Python
put("d.lua", 'print "RAN"\n'); bad = []
def messages(*commands):
    out = b""
    for n, c in enumerate(commands, 1): body = json.dumps({"seq": n, "type": "request", "command": c, "arguments": {"adapterID": "x"}}).encode(); out += b"Content-Length: %d\r\n\r\n" % len(body) + body
    return out
ALL = messages("initialize", "launch", "configurationDone")
def begin():
    port = freeport(); p = subprocess.Popen([BIN, "--local", "debug", "--listen", str(port), "d.lua"], cwd=ROOT + "/work", env=env(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    p.stdout.readline(); return p, port
def talk(port, how, user=None):
    r, w = os.pipe(); child = os.fork()
    if not child:
        if user: os.setgroups([]); os.setgid(user); os.setuid(user)
        s = socket.create_connection(("127.0.0.1", port), 10); s.settimeout(8); got = b""
        try:
            s.sendall(ALL)
            if how == "half": s.shutdown(socket.SHUT_WR)
            if how == "close": s.close(); time.sleep(2)
            while how != "close" and (x := s.recv(65536)): got += x
        except OSError: pass
        os.write(w, got[:60000]); os._exit(0)
    os.close(w); got = b""
    while x := os.read(r, 65536): got += x
    os.close(r); os.waitpid(child, 0); return got
for how in ("usual", "half", "close"):
    p, port = begin(); got = talk(port, how, 65534)
    if b'"success":true' in got or p.poll() is not None or b"RAN" in got: bad.append((how, got[:200], p.poll()))
    own = talk(port, "usual")   # the port still waits for its own user
    if b"RAN" not in own: bad.append((how, "own", own[-200:]))
    p.kill(); p.wait()
verdict(bad, bad)
