-- Raises error objects with a secret, so that the host prints it: as a key, a code, a hint, a file, a module.
-- From: leaks by parts of an error that are not cleaned.
-- flags: --set clientSecret=@../outside/canary.txt
-- status: 1
local e = require "support"
local b2c = require "b2c"
local secret = b2c.settings.clientSecret:reveal()
print((tostring(b2c.settings.clientSecret)))
pcall(b2c.async.all, { function() error { code = secret, message = secret, hint = secret } end })
local chunk = load("error(...)", "=" .. secret:sub(1, 50), "t")
local _, problem = pcall(chunk, secret)
b2c.log.error(tostring(problem))
_, problem = pcall(b2c.tasks.import, "rows.csv", { [secret] = true })
b2c.log.error(problem)
e.held()
error { code = "x", message = "it is " .. secret, hint = secret }
