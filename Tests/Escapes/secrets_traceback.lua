-- Names a chunk or a function after a secret, so that the traceback shows the secret.
-- From: stack traces sent to crash reporters.
-- flags: --set clientSecret=@../outside/canary.txt --log-level debug
-- status: 1
local e = require "support"
local secret = require "b2c".settings.clientSecret:reveal()
e.held()
local name = secret:gsub("%W", "_")
load(("local function %s() local x = nil + 1 end %s()"):format("f", "f"), "@" .. secret)()
