local async = require "b2c.async"

local function closing(f) return setmetatable({}, { __close = f }) end

-- at intervals, with its number, the first time after one
local counts = {}
do
  local timer <close> = async.every(0.001, function(count) counts[#counts + 1] = count end)
  assert(#counts == 0)
  assert(tostring(timer) == "timer (every 0.001 s)")
  while #counts < 3 do async.sleep(0) end
end
assert(counts[1] == 1 and counts[2] == 2 and counts[3] == 3)
local count = #counts
async.sleep(0.01)
assert(#counts == count, "closed")

-- never two calls at a time
local inside, calls = 0, 0
local timer = async.every(0.001, function()
  inside = inside + 1
  assert(inside == 1)
  async.sleep(0.005)
  inside = inside - 1
  calls = calls + 1
end)
while calls < 3 do async.sleep(0) end
-- closing cancels the call that is under way
while inside == 0 do async.sleep(0) end
local before = calls
timer:close()
timer:close()
assert(tostring(timer) == "timer (closed)")
async.sleep(0.01)
assert(calls == before)

-- a call may close its own timer, and goes on
local done
local own
own = async.every(0.001, function()
  own:close()
  async.sleep(0.001)
  done = true
end)
while not done do async.sleep(0) end

-- an error is raised where the function waits that has started the timer, which can catch it
local closed = false
local timer
local ok, problem = pcall(function()
  local _ <close> = closing(function() closed = true end)
  timer = async.every(0.001, function() error "broken" end)
  async.sleep(3600)
end)
assert(not ok and problem.message == "broken" and closed)
assert(problem.where:find("async_every_test.lua:%d+"), problem.where)
local traceback = problem.traceback
assert(traceback:find("started by:.*raised in:"), traceback)
timer:close() -- the error has been raised
async.sleep(0)

-- also where that waits for children: they are canceled
local started, stopped = false, false
local ok, problem = pcall(function()
  async.every(0.001, function() if started then error { code = "mine" } end end)
  async.all { function()
    local _ <close> = closing(function() stopped = true end)
    started = true
    while true do pcall(async.sleep, 3600) end
  end }
end)
assert(not ok and problem.code == "mine" and stopped)

-- a timer ends with the child that has started it, and its error is that child's
local ok, problem = pcall(async.all, { function()
  local failing = false
  local timer = async.every(0.001, function() failing = true error "late" end)
  while not failing do
    local until_then = async.timeout(1, function() async.sleep(0) return true end)
    assert(until_then)
  end
end })
assert(not ok and problem.message == "late", tostring(problem))
local late = 0
async.all { function()
  local timer <close> = async.every(0.001, function() late = late + 1 end)
  async.sleep(0.01)
end }
local count = late
async.sleep(0.01)
assert(late == count)

local function message(f, ...) return select(2, pcall(f, ...)).message end
assert(message(async.every, 0, print) == "async.every: argument 1: expected at least 0.001 seconds, got 0")
assert(message(async.every, 0 / 0, print):find "^async.every: argument 1: expected a number, got %-?nan$")
assert(message(async.every, 1) == "async.every: argument 2: expected a function, got nothing")
