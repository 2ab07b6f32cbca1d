"""mcp: a change that a person has declined in a terminal is not carried out, whatever the client answers afterwards."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from agent import *
a = Agent(); plan = a.plan("declined"); number = a.begin("plan_apply", plan=plan); question = a.wait_for_question()
declined = run("mcp", "decline", plan[7:19]); a.answer(question, YES); result = a.wait(number); texts = a.texts(); a.end()
verdict(declined[0] != 0 or texts, f"declined {declined[0]}, tasks {texts}, {result}")
