-- Uses the name of a command that ships with the host, which may use the files of its command line.
-- From: programs that trust a script by its name.
local e = require "support"
local b2c = require "b2c"
b2c.tenant.sign_in()
arg = { [0] = "import" }
b2c.args[0] = "import"
e.denied(io.open, b2c.args.outside .. "/canary.txt")
e.denied(b2c.tasks.import, b2c.args.outside .. "/canary.txt", { format = "text" })
e.denied(os.getenv, "LANG")
e.held()
