-- Catches the denial and tries again: many times, in coroutines, in handlers, with a changed error.
-- From: sandboxes that deny once, that count denials, or that skip the check after an error was caught.
local e = require "support"
local path = e.outside .. "/canary.txt"
for _ = 1, 200 do e.denied(io.open, path) end
local _, problem = pcall(io.open, path)
problem.code, problem.message, problem.hint = "ok", "ok", nil
e.denied(io.open, path)
e.denied(coroutine.wrap(function() return io.open(path) end))
xpcall(io.open, function(caught)
  e.denied(io.open, path)
  return caught
end, path)
local threads = {}
for i = 1, 20 do threads[i] = coroutine.create(io.open) end
for _, thread in ipairs(threads) do
  if coroutine.resume(thread, path) then e.escaped "in a coroutine" end
  coroutine.close(thread)
end
e.held()
