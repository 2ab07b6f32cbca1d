-- Ends the process during a host operation, and closes the state that the host uses.
-- From: os.exit(code, true), which calls lua_close; it crashed hosts that ran the script in a coroutine.
-- status: 7
local e = require "support"
local b2c = require "b2c"
b2c.tenant.sign_in()
local _ <close> = setmetatable({}, { __close = function() os.exit(7, true) end })
e.held()
coroutine.wrap(function()
  local _ <close> = setmetatable({}, { __close = function() os.exit(7, true) end })
  os.exit(7, true)
end)()
