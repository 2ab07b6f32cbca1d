"""An enemy's NDJSON/CSV claims (without knowing any ID) to be the correction of a failed row of another import: the first import must keep its failed row."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from attack import *
fails = {"on": True}
tasks = []
def other(r):
    if not r.target.startswith("/tasks-api"): return None
    if r.method == "GET": return js(tasks)
    d = json.loads(r.body or b"{}")
    t = d.get("Text") or d.get("text")
    if fails["on"] and t and "keep" in t: return js({"error": "no"}, 400)
    tasks.append({"Id": len(tasks) + 1, **d}); return js(tasks[-1], 201)
put("victim.csv", "Text,Due\nsafe,\nkeep me,\n,2027-01-31\n")
rc1, o1, e1 = run("--local=" + ROOT + "/data", "import", "victim.csv", "--progress", "none")
l1 = run("--local=" + ROOT + "/data", "imports", "list", "--json")[1]
reason = "the text is empty"
nd = open(ROOT + "/work/victim.csv.failed.ndjson").read() if os.path.exists(ROOT + "/work/victim.csv.failed.ndjson") else ""
put("enemy.ndjson", "".join(json.dumps({"Text": f"evil {i}", "_import": {"row": i, "reason": reason}}) + "\n" for i in range(1, 6)))
rc2, o2, e2 = run("--local=" + ROOT + "/data", "import", "enemy.ndjson", "--progress", "none")
rc3, o3, e3 = run("--local=" + ROOT + "/data", "import", "victim.csv", "--progress", "none")
verdict(rc1 == 5 and rc3 == 0, f"first {rc1} {e1[-200:]} failed file {nd} enemy {rc2} {o2} {e2[-400:]} again {rc3} {o3} {e3[-300:]}")
