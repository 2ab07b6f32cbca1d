local async = require "b2c.async"

-- at most so many at a time
local semaphore = async.semaphore(2)
assert(semaphore.available == 2 and semaphore.waiting == 0)
assert(tostring(semaphore) == "semaphore (2 free)")
local inside, most = 0, 0
async.map({ 1, 2, 3, 4, 5, 6 }, { limit = 6 }, function()
  local permit <close> = semaphore:acquire()
  inside = inside + 1
  most = math.max(most, inside)
  repeat async.sleep(0) until most == 2
  inside = inside - 1
end)
assert(most == 2 and semaphore.available == 2)

-- first come, first served
local one = async.semaphore(1)
local held = one:acquire()
assert(tostring(held) == "permit" and one.available == 0)
local order = {}
local function worker(name)
  return function()
    local permit <close> = one:acquire()
    order[#order + 1] = name
  end
end
async.all {
  worker "a", worker "b", worker "c",
  function()
    while one.waiting < 3 do async.sleep(0) end
    held:release()
    held:release() -- once more does nothing
  end,
}
assert(table.concat(order) == "abc")
assert(one.available == 1, "given back once")
assert(tostring(held) == "permit (given back)")

-- who is canceled leaves the line, and who holds a permit gives it back
local held = one:acquire()
local ok, problem = pcall(async.timeout, 0.001, function()
  while true do pcall(function() local permit <close> = one:acquire() end) end
end)
assert(problem.code == "timeout" and one.waiting == 0)
async.all {
  function() pcall(async.race, { function() one:acquire() end, function() async.sleep(0.001) end }) order.raced = true end,
  function() local permit <close> = one:acquire() order.got = true end,
  function()
    while not order.raced do async.sleep(0) end
    held:release()
  end,
}
assert(order.got and one.available == 1)
pcall(function()
  local permit <close> = one:acquire()
  error "broken"
end)
assert(one.available == 1)

-- a permit that is on its way to one that is canceled at the same moment goes to the next
local held, got = one:acquire(), false
pcall(async.all, {
  function()
    pcall(async.race, {
      function() local permit <close> = one:acquire() async.sleep(3600) end,
      function()
        while one.waiting < 2 do async.sleep(0) end
        held:release() -- and this one wins, which cancels the first
      end,
    })
  end,
  function()
    async.sleep(0)
    local permit <close> = one:acquire()
    got = true
  end,
})
assert(got and one.available == 1)

local function message(f, ...) return select(2, pcall(f, ...)).message end
assert(message(async.semaphore, 0) == "async.semaphore: argument 1: expected at least 1 permit, got 0")
assert(message(async.semaphore, 1.5) == "async.semaphore: argument 1: expected an integer, got 1.5")
assert(message(async.semaphore) == "async.semaphore: argument 1: expected an integer, got nothing")
