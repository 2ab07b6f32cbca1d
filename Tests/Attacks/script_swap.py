"""mcp: the file of an approved script, and of its module, is replaced between the check and the run. What runs is what was described, or nothing."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from agent import *
good = 'local b2c = require "b2c"\nb2c.term.options { summary = "s" }\nprint("GOOD", require "part")\n'; evil = good.replace("GOOD", "EVIL")
put("agent/show.lua", good); put("agent/part.lua", 'return "RIGHT"\n'); d = ROOT + "/work/agent/"
a = Agent("--reads", "show", "--calls", "100000"); first = a.call("show"); stop = False; swaps = 0
def swap(name, one, other):
    global swaps
    while not stop:
        for t in (other, one): open(d + name + ".tmp", "w").write(t); os.rename(d + name + ".tmp", d + name); swaps += 1; time.sleep(.002 if t is other else .004)
ths = [threading.Thread(target=swap, args=("show.lua", good, evil)), threading.Thread(target=swap, args=("part.lua", 'return "RIGHT"\n', 'return "WRONG"\n'))]
[t.start() for t in ths]; outs = {}; t0 = time.time(); n = 0
while time.time() - t0 < 60 and n < 110:
    text = json.dumps(a.call("show")); n += 1
    k = "EVIL" if "EVIL" in text else "WRONG" if "WRONG" in text else "ran" if "GOOD" in text and "RIGHT" in text else "refused" if "changed" in text else text[:200]
    outs[k] = outs.get(k, 0) + 1
stop = True; [t.join() for t in ths]; a.end()
verdict("EVIL" in outs or "WRONG" in outs or "GOOD" not in json.dumps(first), f"{outs} in {n} calls, {swaps} swaps {json.dumps(first)[:300] if 'GOOD' not in json.dumps(first) else ''}")
