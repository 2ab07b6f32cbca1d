-- Attacks the host's own coroutine: resumes, closes and wraps it, and yields while the host waits.
-- From: the schedulers of nginx and Roblox, whose own coroutines scripts could resume.
local e = require "support"
local b2c = require "b2c"
local main = coroutine.running()
e.fails(coroutine.close, main)
e.fails(function() local ok = coroutine.resume(main) return ok end)
e.fails(coroutine.yield, "out")
b2c.async.all {
  function()
    local child = coroutine.running()
    e.fails(function() return (coroutine.resume(main)) end)
    e.fails(coroutine.close, main)
    e.fails(coroutine.close, child)
    b2c.async.sleep(0)
  end,
  function() e.fails(function() return (coroutine.resume(main)) end) end,
}
e.held()
