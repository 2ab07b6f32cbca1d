-- The health check of the container: the server of the container answers, and is ready.
-- B2C_RUN_HEALTH names another address than that of the commands in the documentation.
local b2c = require "b2c"

local address = os.getenv "B2C_RUN_HEALTH" or "http://localhost:8080/readyz"
local response = b2c.http.get(address, { timeout = 4, raise = false })
-- A tenant has no such path: that it answers is enough.
if response.status >= 500 then
  print(address .. " answered " .. response.status)
  os.exit(1)
end
