"""Terminal escapes: names, summaries, reasons, errors, paths in every command, to a terminal (script(1) pty)."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
import pty, select
E = "\x1b]0;PWN\x07\x1b[2J\x9b31m\u202e\u2066\x08"
LE = E.encode().decode("utf-8")
q = json.dumps(E, ensure_ascii=True).replace("\\u001b", "\\27").replace("\\u0007", "\\7").replace("\\u009b", "\\u{9b}").replace("\\u202e", "\\u{202e}").replace("\\u2066", "\\u{2066}").replace("\\b", "\\8")
put("jobs/a.lua", f'-- needs: --allow-net=a{E}.example  reason {E}\nlocal b2c = require "b2c"\nlocal run = b2c.job {{ summary = {q}, on = {{ webhook = "/h", scheme = "none" }} }}\nerror({{code = {q}, message = {q}, hint = {q}}})\n')
put("jobs/b.lua", f'local b2c = require "b2c"\nlocal run = b2c.job {{ summary = {q}, on = {{ start = true }}, args = {{ {q} }} }}\nio.write({q}, "\\n"); io.stderr:write({q}, "\\n"); run.progress(1, 2, {q}); b2c.oauth = nil; run.step("s" .. ({q}):gsub("%z",""), function() return {q} end); run.state.x = {q}; error({{code = {q}, message = {q}, hint = {q}}}) ')
put("jobs/c.lua", f'local b2c = require "b2c"\nlocal run = b2c.job {{ summary = "x", on = {{ cron = {q} }}, [{q}] = 1 }}')
put("jobs/f.lua", f'local b2c = require "b2c"\nlocal run = b2c.job {{ summary = "x", on = {{ files = "in" .. {q} .. "/*" }} }}')
name = "j" + E.replace("/", "") + ".lua"
put("jobs/" + name, f'local b2c = require "b2c"\nlocal run = b2c.job {{ summary = "x", on = {{ start = true }} }}\nerror("x")')
put("t" + E + ".csv", f"Text,D{E}ue\nok,\n{E},{E}\n,x\n")
put("t2.csv", f"Text,Due\na,{E}\n,x\n")
put("x" + E + ".lua", f'error({q})'); put("y_test.lua", f'local test = require "b2c.test"\ntest.case({q}, function() error({q}) end)')
put("svc" + E + ".lua", "return 1")
put("s" + E + ".json", '{"clientID": "' + "\\u001b[2J" + '", "bad\\u001b[2J": 1, "authority": "http://x\\u009b/"}')
open(ROOT + "/work/l1\xff\x1b[2J.csv".encode("latin1").decode("latin1") if 0 else (ROOT + "/work/").encode() + b"l\xff\x1b[2J\x9b.csv", "w").write("Text,Due\n,x\n")
def term(*a, stdin=None, t=15):
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(ROOT + "/work"); os.execve(BIN, [BIN, *a], {**env(), "TERM": "xterm-256color"})
    out = b""; end = time.time() + t
    while time.time() < end:
        r, _, _ = select.select([fd], [], [], .3)
        if r:
            try: x = os.read(fd, 65536)
            except OSError: break
            if not x: break
            out += x
    try: os.kill(pid, 9)
    except OSError: pass
    os.waitpid(pid, 0); os.close(fd); return out
s = Serve(); time.sleep(3)
try: s.hook("/h", E.encode()); 
except Exception: pass
cmds = [("jobs",), ("jobs", "show", "b"), ("jobs", "show", "a"), ("jobs", "show", name[:-4]), ("jobs", "runs"), ("jobs", "log", "1"), ("jobs", "log", "2"), ("jobs", "next", E), ("jobs", "run", E), ("jobs", "run", "a"), ("jobs", "pause", E), ("jobs", "cancel", E), ("jobs", "allow", "a", "--yes"), ("jobs", "allow", "f"), ("jobs", "runs", E), ("jobs", "runs", "--since", E), ("check", "jobs/" + name), ("check", "jobs/c.lua"), ("check", "jobs/a.lua"),
 ("x" + E + ".lua",), ("test", "y_test.lua"), ("help", E), ("help", "x" + E + ".lua"), (E,), ("--" + E,), ("--set", E, "x.lua"), ("--local", "import", "t" + E + ".csv", "--progress", "none"), ("--local", "import", "t2.csv"), ("--local", "import", b"l\xff\x1b[2J\x9b.csv"), ("--local", "import", "t2.csv", "--map", "text=" + E), ("--local", "import", "nosuch" + E), ("--local", "tasks", "add", E), ("imports", "list"), ("imports", E), ("secrets", "set", E), ("secrets",), ("secrets", "remove", E), ("--settings", "s" + E + ".json", "accounts"), ("accounts", E), ("accounts", "use", E), ("--store", "postgresql://u:p" + E + "@127.0.0.1:1/x", "jobs"), ("--store", E, "accounts"), ("serve", E), ("trace", E), ("work", E), ("--service", E, "import", "t2.csv"), ("--service", "svc" + E + ".lua", "import", "t2.csv"), ("--plugin", "svc" + E + ".lua", "x.lua"), ("new", E), ("new", "--job", E), ("--allow-net=" + E, "y_test.lua"), ("--allow-read=" + E, "x" + E + ".lua"), ("serve", "--listen", E), ("serve", "--drain", E), ("--timeout", E, "y_test.lua"), ("--memory", E, "y_test.lua"), ("--cacert", E, "y_test.lua"), ("docs", E), ("completion", E), ("explain", E), ("login", E), ("sign-in", "--flow", E), ("sign-in", "--policy", E), ("--tls-keys", E, "y_test.lua"), ("experiment", E), ("tenant", "--port", E), ("tenant", "--profile", E), ("undo", E), ("tasks", E), ("tasks", "list", "--filter", E), ("export", E), ("tasks", "done", E), ("--vary", E, "y_test.lua"), ("sync", E), ("doctor", E), ("store", E), ("profiles", E), ("plugins", E), ("plugins", "trust", "svc" + E + ".lua")]
bad = []; n = 0
import re as R
pat = R.compile(rb"\x1b\]0;PWN|\x1b\[2J|\xc2\x9b|\x08(?!)|\xe2\x80\xae|\xe2\x81\xa6|\x1b\]0|(?<![\xc0-\xff\x80-\xbf])\x9b")
for c in cmds:
    c = [x.replace("\0", "") if isinstance(x, str) else x for x in c]
    o = term(*c, t=6); n += 1
    m = pat.search(o)
    if m: bad.append((c[:2], o[max(0, m.start() - 60):m.end() + 20]))
log = open(s.log, "rb").read(); m = pat.search(log)
if m: bad.append(("serve log", log[max(0, m.start() - 80):m.end() + 20]))
s.stop()
verdict(bad, f"{n} commands; {bad}")
