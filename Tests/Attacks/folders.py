"""Folders and files of other users for accounts, journals, secrets, keys and the state of jobs: owned by them, in their folders, links, pipes, devices. Needs root, to be two users."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
import pwd, stat
if os.getuid() != 0: print("HELD folders.py not root: nothing tried"); sys.exit(0)
nobody = pwd.getpwnam("nobody").pw_uid
os.chmod(ROOT, 0o755); os.makedirs(ROOT + "/work/jobs", exist_ok=True)
op = OP(); S = op.settings(); put("in.lua", SIGN_IN + 'b2c.secrets = b2c.secrets\nprint(a.name)'); put("jobs/j.lua", 'local b2c = require "b2c"\nlocal run = b2c.job { summary = "x", on = { every = "9h" } }'); put("rows.csv", "Text\na\nb\n")
bad = []; res = {}
def made(name, mode, owner=0):
    p = f"{ROOT}/{name}"; os.makedirs(p, exist_ok=True); os.chmod(p, mode); os.chown(p, owner, owner); return p
def tree(p): return sorted(os.path.join(d, f)[len(p):] for d, _, fs in os.walk(p) for f in fs)
places = {}
places["other's, 0700"] = made("o1", 0o700, nobody); places["other's, 0777"] = made("o2", 0o777, nobody); places["mine, 0777"] = made("m1", 0o777); places["mine, group of others"] = made("m2", 0o770); os.chown(places["mine, group of others"], 0, pwd.getpwnam("nobody").pw_gid)
made("p1", 0o700, nobody); places["in a folder of another"] = made("p1/x", 0o700)
made("p2", 0o777); places["in an open folder"] = made("p2/x", 0o700); made("p3", 0o1777); places["in a sticky folder"] = made("p3/x", 0o700)
made("p4", 0o777); made("p4/y", 0o755); places["below an open folder"] = made("p4/y/x", 0o700)
os.symlink(places["other's, 0700"], ROOT + "/l1"); places["link to another's"] = ROOT + "/l1"
made("p5", 0o777, nobody); os.symlink(made("real", 0o700), ROOT + "/p5/x"); os.lchown(ROOT + "/p5/x", nobody, nobody); places["link of another"] = ROOT + "/p5/x"
for n, p in places.items():
    for what, words, e in (("store", ("--store", p, *S, "in.lua"), {}), ("state home", (*S, "in.lua"), {"XDG_STATE_HOME": p}), ("journals", (*S, "-A", "import", "rows.csv", "--progress", "none"), {"XDG_STATE_HOME": p}), ("state", ("jobs", "list", "--state", p), {}), ("data home", (*S, "in.lua"), {"XDG_DATA_HOME": p, "XDG_STATE_HOME": ROOT + "/fine"})):
        rc, o, er = run(*words, env_=env(**e)); res[n, what] = (rc, er[:110].strip())
        if crashed(rc, er): bad.append((n, what, rc, er[-200:]))
for n, p in places.items():
    left = tree(p)
    if left: res[n, "files"] = left[:4]
for line in res.items(): print(line) if len(sys.argv) > 2 else None
# Below a folder of the system, the program makes its own one.
for n in ("other's, 0700", "other's, 0777", "mine, 0777", "mine, group of others", "link to another's"):
    left = [f for f in tree(places[n]) if not f.startswith("/b2c-run/")]
    if left: bad.append((n, "is used", left[:3]))
for n, p in places.items():
    own = p + "/b2c-run"
    if os.path.isdir(own) and (os.stat(own).st_uid or os.stat(own).st_mode & 0o077): bad.append((n, "is open", oct(os.stat(own).st_mode)))
    for f in tree(p):
        if os.stat(p + f).st_mode & 0o077: bad.append((n, "others may read", f, oct(os.stat(p + f).st_mode)))
verdict(bad, f"{len(res)} checks; bad {bad}")
