"""mcp: five calls at once for one plan, all accepted: the plan is carried out once, and no call takes it from the other."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from agent import *
a = Agent(); plan = a.plan("one"); a.reply = lambda q: YES
numbers = [a.begin("plan_apply", plan=plan) for _ in range(5)]; results = [a.wait(n)["result"]["content"][0]["text"][:60] for n in numbers]; texts = a.texts(); a.end()
verdict(texts != ["one"], f"tasks {texts}, {results}")
