"""on = { files }: the permission that a person gives for `in` opens nothing else: links, races, `..`, bind mounts of /proc, commas, foreign bytes."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
import shutil
W = ROOT + "/work"; sec = ROOT + "/secret"; os.makedirs(sec); open(sec + "/S3CRET.csv", "w").write("x"); os.makedirs(W + "/in/real"); os.makedirs(W + "/comma,../secret".replace("/../", "/") if 0 else W + "/jobs")
os.symlink(sec, W + "/in/link"); os.symlink(sec + "/S3CRET.csv", W + "/in/file.csv"); os.symlink("/proc/self", W + "/in/self"); os.symlink("/proc/1", W + "/in/one"); open(W + "/in/real/good.csv", "w").write("y")
os.makedirs(W + "/a," + ROOT.strip("/").replace("/", "_"), exist_ok=True)
def j(n, pat): put(f"jobs/{n}.lua", f'local b2c = require "b2c"\nlocal run = b2c.job {{ summary = "x", on = {{ files = "{pat}" }} }}\nfor _, f in ipairs(run.event.files or {{}}) do print(f.path) end')
j("j1", "in/*/*"); j("j2", "in/../in/link/../secret/*"); j("j3", "in/*"); j("j4", "in/*/../../../secret/*"); j("j5", "in/self/environ"); j("j6", "in/*/fd/*"); j("j7", "in/race/*"); j("j8", "/./../proc/self/*"); j("j9", "//proc/self/*"); j("j10", "in,,/*"); j("j11", "in,/*"); j("j12", "in/[.]./../secret/*"); j("j13", "in/\\\\.\\\\./*"); j("j14", "in/link/S3CRET.csv"); j("j15", "in/\\xc3\\xa9/*"); j("j16", "in/e\\xcc\\x81/*"); j("j17", "/\\xcc\\x81*/*")
os.makedirs(W + "/in," , exist_ok=True); os.symlink(sec, W + "/in,/x"); os.makedirs(W + "/in/\u00e9"); open(W + "/in/\u00e9/nfc.csv", "w").write("1"); os.symlink(sec, W + "/in/e\u0301")
os.makedirs(W + "/in/race"); os.makedirs(W + "/in/mnt")
mounted = os.system(f"mount --bind /proc {W}/in/mnt 2>/dev/null") == 0
j("j18", "in/mnt/self/*"); j("j19", "in/mnt/1/environ")
# a person allows read of `in` to all (header), nothing more
for f in os.listdir(W + "/jobs"):
    t = open(W + "/jobs/" + f).read(); open(W + "/jobs/" + f, "w").write("-- needs: --allow-read=in  x\n" + t)
res = {}
for i in range(1, 20): res[i] = run("jobs", "allow", f"j{i}", "--yes")
needs = {i: res[i][1] + res[i][2] for i in res}
# take only jobs whose need is `in` alone: the others ask for more, which a person sees
s = Serve(); stop = False
def race():
    a, b = W + "/in/race", W + "/in/race2"; os.symlink(sec, b)
    while not stop:
        try: os.rename(a, W + "/in/r3"); os.rename(b, a); os.rename(a, b); os.rename(W + "/in/r3", a)
        except OSError: pass
th = threading.Thread(target=race); th.start(); time.sleep(7)
for i in range(20): open(W + f"/in/real/n{i}.csv", "w").write("z"); time.sleep(.1)
stop = True; th.join(); time.sleep(2)
d = s.get("/api/runs?limit=1000")[1].decode(); rs = json.loads(d); rs = rs if isinstance(rs, list) else rs["runs"]
seen = {}
for r in rs:
    full = json.loads(s.get(f"/api/runs/{r['id']}")[1]); seen.setdefault(r["job"], []).extend(f.get("path") for f in (full.get("event") or {}).get("files", []))
alive = s.alive(); t = s.text(); s.stop()
if mounted: os.system(f"umount {W}/in/mnt")
asks = {i: [w for w in needs[i].split() if w.startswith("--allow")] for i in needs}
bad = {k: v for k, v in seen.items() if any("S3CRET" in (p or "") or ("self" in (p or "") and "mnt" not in (p or "")) or "file.csv" in (p or "") for p in v) and set(asks[int(k[1:])]) <= {"--allow-read=in"}}
mnt = {k: len([p for p in v if p and "mnt" in p]) for k, v in seen.items()}
verdict(bad or not alive or not seen or os.environ.get("MNT") and any(mnt.values()), f"mnt {mnt} mounted {mounted} bad {bad} seen { {k: v[:3] for k, v in seen.items()} } asks { {k: v for k, v in asks.items() if v != ['--allow-read=in']} } " + t[-300:])
