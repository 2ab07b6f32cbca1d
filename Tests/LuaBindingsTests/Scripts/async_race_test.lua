local async = require "b2c.async"

local function closing(f) return setmetatable({}, { __close = f }) end

-- the first to end wins with all that it returns; the others are canceled, and have ended
local closed, reached = 0, false
local function slow()
  local _ <close> = closing(function() closed = closed + 1 end)
  while true do pcall(async.sleep, 3600) end
end
local a, b = async.race { slow, function() while not closed do end async.sleep(0.001) return 1, 2 end, slow }
assert(a == 1 and b == 2)
assert(closed == 2)

-- one that does not wait wins before those behind it have begun
assert(async.race { function() return "at once" end, function() reached = true end } == "at once")
assert(not reached)

-- the first to end may end with an error, which is raised as it is
local mine = {}
local ok, problem = pcall(async.race, { slow, function() async.sleep(0.001) error(mine) end })
assert(not ok and problem == mine)
assert(closed == 3)

-- an error later than the first end does not count
assert(async.race {
  function() return "first" end,
  function() async.sleep(0) error "later" end,
} == "first")

-- a race that is canceled cancels all
local ok, problem = pcall(async.timeout, 0.001, function() async.race { slow, slow } reached = true end)
assert(not ok and problem.code == "timeout" and not reached)

-- nothing wins where nothing runs
local function message(f, ...) return select(2, pcall(f, ...)).message end
assert(message(async.race, {}) == "async.race: argument 1: expected at least one function, got none")
assert(message(async.race, { 1 }) == "async.race: element 1 of the list: expected a function, got number")
