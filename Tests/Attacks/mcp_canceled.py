"""mcp: an agent cancels its call after the approval, so that the log would not say what was carried out, and who approved it."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from agent import *
a = Agent(); bad = []; done = 0
for pause in (0, .1, .2, .25, .3, .35, .4, .5, 2):
    a.asked.clear(); plan = a.plan(*(f"{pause} {i}" for i in range(100))); number = a.begin("plan_apply", plan=plan); question = a.wait_for_question(); a.answer(question, YES)
    time.sleep(pause); a.send({"method": "notifications/cancelled", "params": {"requestId": number}}); time.sleep(.7)
    made = len(a.call("tasks_list", limit=500)["structuredContent"]["tasks"]); log = [json.loads(l) for l in run("mcp", "log", "--json", "--last", "4")[1].splitlines()]
    entry = [l for l in log if l["tool"] == "plan_apply"][-1]
    if made > done and not (entry.get("digest") == plan and entry.get("approved_by")): bad.append((pause, made - done, entry))
    done = made
a.end(); verdict(bad or not done, f"{done} tasks; {bad}")
