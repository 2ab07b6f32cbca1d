-- Coroutines of the script in code that waits.
local async = require "b2c.async"
local http, args = require "b2c.http", require "b2c.args"

-- a generator that calls host functions between its values, in children that run together
local function answers(count)
  return coroutine.wrap(function()
    for number = 1, count do
      local answer = http.get(args.echo .. "/" .. number)
      async.sleep(0)
      coroutine.yield(number, answer.status)
    end
  end)
end
local sums = async.map({ 1, 2, 3 }, { limit = 3 }, function(factor)
  local sum = 0
  for number, status in answers(3) do
    assert(status == 200)
    sum = sum + factor * number
  end
  return sum
end)
assert(table.concat(sums, " ") == "6 12 18")

-- as the iterator of async.map, with a child that starts children
local numbers = async.map(answers(4), { limit = 2 }, function(number)
  return async.all { function() async.sleep(0) return number end, function() return number end }[1]
end)
assert(table.concat(numbers, " ") == "1 2 3 4")

-- a generator that starts children itself
local pairs_of = coroutine.wrap(function()
  for i = 1, 2 do coroutine.yield(async.all { function() async.sleep(0) return i end, function() return -i end }) end
end)
local first, second = pairs_of(), pairs_of()
assert(first[1] == 1 and first[2] == -1 and second[1] == 2)

-- canceled in the middle: its `<close>` variables run, the innermost first
local log = {}
local function closing(name) return setmetatable({}, { __close = function() log[#log + 1] = name end }) end
pcall(async.timeout, 0.001, function()
  local outer <close> = closing "outer"
  for _ in coroutine.wrap(function()
    local inner <close> = closing "inner"
    while true do pcall(async.sleep, 3600) end
  end) do end
end)
assert(table.concat(log, " ") == "inner outer" or #log == 0, table.concat(log, " "))

-- one that a canceled child has left goes on in another
local shared = coroutine.create(function()
  for i = 1, 10 do coroutine.yield(i) end
end)
coroutine.resume(shared)
async.race {
  function() async.sleep(0) end,
  function() coroutine.resume(shared) async.sleep(3600) end,
}
local _, third = coroutine.resume(shared)
assert(third == 3)
