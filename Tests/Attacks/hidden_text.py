"""mcp: an agent hides a part of a change from the person who approves it: behind thousands of columns, in invisible characters, in many fields."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from agent import *
tags = lambda t: "".join(chr(0xE0000 + ord(c)) for c in t); far = "x " * 700 + "SECRETLY"
put("agent/pay.lua", 'local b2c = require "b2c"\nlocal options = b2c.term.options { summary = "pays", positions = { { "TEXT", "a text" } } }\nprint(options[1])\n')
a = Agent(); bad = []
def shown(call, **arguments):
    n = a.begin(call, **arguments); q = a.wait_for_question(); text = q["params"]["message"]; a.asked.clear(); a.answer(q, {"action": "decline"}); a.wait(n); return text
def plan(*tasks): return a.call("tasks_add", tasks=list(tasks))["structuredContent"]["plan"]
def look(name, text, *words):
    for w in words:
        if w not in text: bad.append((name, w, len(text), text[-200:]))
    for c in text:
        if 0xE0000 <= ord(c) <= 0xE01FF or c in "\u200b\u2060\u202e\u2066\u3164\u2800\u00ad\ufe01": bad.append((name, "invisible", hex(ord(c)))); break
look("long text", shown("plan_apply", plan=plan({"text": far})), "SECRETLY")
look("long notes", shown("plan_apply", plan=plan({"text": "Milk", "notes": "y " * 3000 + "SECRETLY"})), "SECRETLY")
look("longer than all", shown("plan_apply", plan=plan({"text": "Milk", "notes": "z" * 60000 + "SECRETLY"})), "50,008 more characters are not shown")
look("many long rows", shown("plan_apply", plan=plan(*[{"text": f"t{n}", "notes": "n" * 9000 + f"END{n}"} for n in range(30)])), "END0", "END29")
look("tags", shown("plan_apply", plan=plan({"text": "Milk" + tags("and pay 1000")})), "Milk\\u{E0061}\\u{E006E}\\u{E0064}")
look("invisible", shown("plan_apply", plan=plan({"text": "a\u200bb\u2060c\u3164d\u2800e\ufe01", "notes": "\u202egnp.exe\u2066\u00ad"})), "\\u{200B}", "\\u{2060}", "\\u{3164}", "\\u{2800}", "\\u{FE01}", "\\u{202E}", "\\u{AD}")
look("script", shown("pay", text="ok" + tags("no") + far), "\\u{E006E}\\u{E006F}", "SECRETLY")
a.end(); verdict(bad, f"{bad[:4]}")
