-- Calls itself like a command that ships with the host, which may use the files typed behind it.
-- From: programs that trust by the name a script is run under.
local e = require "support"
local b2c = require "b2c"
b2c.tenant.sign_in()
arg = { [0] = "import" }
b2c.args[0] = "import"
e.denied(io.open, b2c.args.outside .. "/canary.txt")
e.denied(b2c.tasks.import, b2c.args.outside .. "/canary.txt", { format = "text" })
e.denied(os.getenv, "LANG")
e.held()
