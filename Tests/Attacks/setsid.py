"""conform client: a program under test leaves its session, its group and its parent, and removes its variables. None of its processes outlives the run."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
put("p.py", """
import os, sys, time
def away(clean, depth):
    if os.fork(): return
    os.setsid()
    if os.fork(): os._exit(0)
    if clean: os.execve(sys.executable, [sys.executable, "-c", f"import os,time\\nopen({sys.argv[1]!r},'a').write(str(os.getpid())+chr(10))\\ntime.sleep(300)"], {})
    open(sys.argv[1], "a").write(f"{os.getpid()}\\n")
    if depth: away(clean, depth - 1)
    time.sleep(300); os._exit(0)
away(False, 2); away(True, 0); away(False, 0)
time.sleep(.3)
""")
ids = ROOT + "/ids"; open(ids, "w").close()
r = run("conform", "client", "--timeout", "3", "--jobs", "2", "--", sys.executable, "p.py", ids, timeout=170)
time.sleep(.5); started = [int(x) for x in open(ids).read().split()]
def lives(p):
    try: return open(f"/proc/{p}/stat").read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError: return False
left = [p for p in started if lives(p)]
for p in left: os.kill(p, 9)
verdict(left or not started or crashed(r[0], r[2]), f"started {len(started)}, left {len(left)}, end {r[0]} {r[2][-200:]}")
