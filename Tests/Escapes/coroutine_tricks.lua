-- Takes hold of the host's own coroutine: resumes, closes, wraps it; yields where the host waits.
-- From: nginx's and Roblox's schedulers, whose own coroutines scripts could resume.
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
