-- The traceback of an error in a child leads to the call that started it, and on.
local async = require "b2c.async"

local function broken()
  async.sleep(0)
  error "broken"
end

-- These stand in the traceback in this order, a function by its line, "|" for where one stack ends and the next begins.
local function expect(problem, ...)
  local at = 1
  for _, name in ipairs { ... } do
    if type(name) == "function" then
      name = ("in function <async_traceback_test.lua:%d>"):format(debug.getinfo(name, "S").linedefined)
    end
    local first, last = problem.traceback:find(name == "|" and "\nstarted by:\n" or name, at, true)
    assert(first, name .. " is missing in\n" .. problem.traceback)
    at = last
  end
  assert(not problem.traceback:find("\nstarted by:\n", at, true), problem.traceback)
end

local starts = {
  all = function() async.all { broken } end,
  map = function() async.map({ 1 }, broken) end,
  race = function() async.race { broken } end,
  timeout = function() async.timeout(60, broken) end,
  iterator = function() async.map(broken, print) end,
}
for name, start in pairs(starts) do
  local ok, problem = pcall(start)
  assert(not ok and problem.message == "broken", name)
  expect(problem, broken, "|", start, "in main chunk")
end

-- level by level
local function inner() async.all { broken } end
local function middle() async.map({ 1 }, inner) end
local function outer() async.timeout(60, middle) end
local ok, problem = pcall(function() async.race { outer } end)
expect(problem, broken, "|", inner, "|", middle, "|", outer, "|", "in main chunk")

-- the same for what is caught and raised again on the way
local ok, problem = pcall(async.all, { function()
  local _, problem = pcall(inner)
  error(problem)
end })
expect(problem, broken, "|", inner, "|", "in main chunk")

-- through coroutines of the script, which are named too
local ok, problem = pcall(coroutine.wrap(function() async.all { broken } end))
expect(problem, broken, "|", "resumed by:", "in main chunk")

-- a table that a script raises stays as it is
local mine = { code = "mine" }
local ok, problem = pcall(async.all, { function() async.all { function() error(mine) end } end })
assert(problem == mine and mine.traceback == nil)
