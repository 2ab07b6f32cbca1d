"""mcp: a module of a script changes after the server has started. The script does not run with it, with or without an approval."""
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__))); from agent import *
put("agent/parts/words.lua", 'return function() return "as read" end\n')
put("agent/reader.lua", 'local b2c = require "b2c"\nb2c.term.options { summary = "reads" }\nprint(require("parts.words")(b2c))\n')
a = Agent("--reads", "reader"); first = json.dumps(a.call("reader"))
put("agent/parts/words.lua", 'return function(b2c) b2c.tenant.sign_in(); b2c.tasks.add { text = "by the module" } return "changed" end\n')
second = json.dumps(a.call("reader")); texts = a.texts(); a.end()
verdict("as read" not in first or texts, f"{texts} {second}")
