-- The whole story in one script: sign in, import a thousand tasks, list them, switch users.
--
--   b2c-run --local examples/quickstart.lua
--
-- --local starts a tenant on this machine, with the users alice and bob. To use a tenant of your own, write a
-- settings.plist, leave --local out, and sign in with agent = "terminal" and without user name and password.

local b2c = require "b2c"
local accounts, tasks, term = b2c.accounts, b2c.tasks, b2c.term

local here = debug.getinfo(1, "S").source:match("^@?(.*)[/\\]") or "."
