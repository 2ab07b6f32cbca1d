-- A function that starts itself as its own child comes to an end.
local async = require "b2c.async"

local function check(f)
  local ok, problem = pcall(f)
  assert(not ok and problem.code == "nested_too_deeply", tostring(problem))
  assert(
    problem.message:find "^async%.%a+ does not call the function at .*async_nesting_test.lua:%d+: 200 calls of script functions lie within each other already$",
    problem.message)
end

local function map() async.map({ 1 }, map) end
check(map)
local function iterate() async.map(iterate, print) end
check(iterate)
local function all() async.all { all } end
check(all)
local function race() async.race { race } end
check(race)
local function timeout() async.timeout(60, timeout) end
check(timeout)

local depth = 0
local function hundred()
  depth = depth + 1
  if depth < 100 then async.all { hundred } end
end
hundred()
assert(depth == 100)
