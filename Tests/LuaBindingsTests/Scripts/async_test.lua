local async = require "b2c.async"

-- all: together, in order
local running, most = 0, 0
local function job(result)
  return function()
    running = running + 1
    most = math.max(most, running)
    async.sleep(0.001)
    running = running - 1
    return result
  end
end
-- The first waits until the last one runs: they are under way together.
local last_runs = false
local results = async.all {
  function()
    while not last_runs do async.sleep(0) end
    return "a"
  end,
  function() return "b" end,
  function()
    last_runs = true
    return "c"
  end,
}
assert(table.concat(results) == "abc")

-- map: bounded, ordered, with and without options, over a list and an iterator
most = 0
local doubled = async.map({ 1, 2, 3, 4, 5, 6 }, { limit = 2 }, function(n, i)
  assert(n == i)
  return job(2 * n)()
end)
assert(table.concat(doubled, " ") == "2 4 6 8 10 12")
assert(most <= 2)
assert(#async.map({}, function() end) == 0)

-- A function that returns nothing leaves its place empty. The other results keep their places.
local nothing, something = function() end, function() return 2 end
local holes = async.all { nothing, something, nothing }
assert(holes[1] == nil and holes[2] == 2 and holes[3] == nil)
holes = async.map({ 1, 2, 3 }, function(x) if x == 3 then return "three" end end)
assert(holes[1] == nil and holes[2] == nil and holes[3] == "three" and next(holes) == 3 and next(holes, 3) == nil)

local n = 0
local squares = async.map(function()
  async.sleep(0)
  n = n + 1
  return n <= 4 and n or nil
end, { limit = 3 }, function(x) return x * x end)
assert(table.concat(squares, " ") == "1 4 9 16")

-- a failure cancels the siblings, whose close variables run before the call returns
local closed, reached, started = 0, false, false
local ok, e = pcall(async.all, {
  function()
    while not started do async.sleep(0) end
    error({ code = "mine" })
  end,
  function()
    started = true
    local _ <close> = setmetatable({}, { __close = function() closed = closed + 1 end })
    while true do pcall(async.sleep, 3600) end
  end,
})
assert(not ok and e.code == "mine")
assert(closed == 1)

-- an error in a coroutine inside async.map names its line, and the traceback leads to who started it
local ok, e = pcall(function()
  async.map({ 1 }, function()
    coroutine.wrap(function()
      async.sleep(0)
      local nothing
      return nothing.field
    end)()
  end)
end)
assert(not ok)
assert(tostring(e):find("async_test.lua:%d+: .*attempt to index a nil value"), tostring(e))
assert(e.code == "script_error")
assert(e.traceback:find("started by:"), e.traceback)

-- timeout
assert(select("#", async.timeout(10, function() return 1, 2, 3 end)) == 3)
local started, stopped = false, false
local ok, e = pcall(async.timeout, 0.001, function()
  started = true -- on a machine that is busy, the time may be over before
  local _ <close> = setmetatable({}, { __close = function() stopped = true end })
  pcall(async.sleep, 3600)
  reached = true
end)
assert(not ok and e.code == "timeout" and e.retryable)
assert(e.message == "async.timeout: not done after 0.001 s")
assert(stopped == started and not reached)

-- a timeout inside a timeout: the outer one counts
local ok, e = pcall(async.timeout, 0.001, function()
  async.timeout(3600, function() async.sleep(3600) end)
end)
assert(e.message == "async.timeout: not done after 0.001 s")

-- wrong use
local function message(f, ...) return select(2, pcall(f, ...)).message end
assert(message(async.sleep) == "async.sleep: argument 1: expected a number, got nothing")
assert(message(async.sleep, -1) == "async.sleep: argument 1: expected zero or more seconds, got -1.0")
assert(message(async.all, { print, 5 }) == "async.all: element 2 of the list: expected a function, got number")
assert(message(async.map, {}, { limit = 0 }, print) == "async.map: option 'limit': expected at least 1, got 0")
assert(message(async.map, {}, { limt = 1 }, print) == "async.map: unknown option 'limt'")
assert(message(async.map, {}) == "async.map: argument 3: expected a function, got nil")
