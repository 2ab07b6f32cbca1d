-- Has the host call back into the script with errors whose fields are metamethods.
-- From: error objects that run code in the host when it formats them, outside any limit.
-- status: 1
local e = require "support"
local b2c = require "b2c"
local evil = setmetatable({}, {
  __tostring = function() return io.open(e.outside .. "/canary.txt"):read "a" end,
  __index = function(_, key) return io.open(e.outside .. "/canary.txt"):read "a" end,
  __name = "error",
})
e.fails(error, evil)
b2c.accounts.on_failed(function() error(evil) end)
pcall(b2c.accounts.sign_in, { agent = "headless", username = "alice", password = "wrong" })
e.held()
error(evil)
