-- Writes a secret into logs, errors, warnings and progress, alone and inside other text. Text that print writes to the
-- terminal is for the user, but standard error often goes elsewhere.
-- From: tokens in the logs of CI.
-- flags: --set clientSecret=@../outside/canary.txt
-- status: 1
local e = require "support"
local b2c = require "b2c"
local secret = b2c.settings.clientSecret:reveal()
b2c.log.error(secret)
b2c.log.info("it is <" .. secret .. ">", { field = secret, [secret] = "name" })
pcall(b2c.log.warn, setmetatable({}, { __tostring = function() return secret end }))
local progress = b2c.term.progress { total = 1, label = secret }
if progress.close then pcall(progress.close, progress) end
warn("@on") warn(secret)
for _, call in ipairs { b2c.tasks.remove, b2c.csv.rows, b2c.http.get, require, b2c.accounts.find, io.open, os.getenv } do
  local _, problem = pcall(call, secret)
  b2c.log.error(tostring(problem))
end
pcall(b2c.http.get, b2c.tenant.url .. "/" .. secret)
e.held()
error("the secret is " .. secret)
