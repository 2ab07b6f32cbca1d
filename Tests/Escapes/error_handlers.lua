-- Makes the host handle errors whose fields are metamethods of the script.
-- From: error objects that run code without a limit when the host formats them.
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
