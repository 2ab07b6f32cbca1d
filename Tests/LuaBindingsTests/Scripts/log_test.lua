-- Log lines, as they come out on standard error.

local b2c = require "b2c"
local log = b2c.log
local support = require "support"
local equal, message = support.equal, support.message

--- Returns the lines that f writes, without the time at the start of each line.
local function written(f)
  local file <close> = assert(io.open(b2c.args.console, "rb"))
  local start = file:seek("end")
  f()
  file:seek("set", start)
  local text, times = ("\n" .. file:read("a")):gsub("\n%d%d%d%d%-%d%d%-%d%dT%d%d:%d%d:%d%d%.%d%d%dZ ", "\n")
  assert(times > 0, "a line without its time")
  return text:sub(2)
end

-- Each level under its name
for _, level in ipairs { "debug", "info", "warn", "error" } do
  equal(written(function() equal(select("#", log[level]("hello")), 0) end), ("%-5s hello\n"):format(level))
end

-- Any value, and fields by name
local thing = setmetatable({}, { __tostring = function() return "a thing" end })
equal(written(function() log.info(thing) end), "info  a thing\n")
equal(written(function() log.info(nil) end), "info  nil\n")
equal(written(function() log.info(42, { number = 1, text = "two words", empty = "", thing = thing, yes = true }) end),
  'info  42  empty=""  number=1  text="two words"  thing="a thing"  yes=true\n')

-- A secret never gets out by it, neither as such nor revealed, in the message or in a field.
local secret = support.sign_in():id_token()
equal(written(function() log.info(secret, { key = secret }) end), "info  [secret]  key=[secret]\n")
equal(written(function() log.warn("it is " .. secret:reveal(), { key = secret:reveal() }) end),
  'warn  it is [secret]  key=[secret]\n')
local token = support.sign_in():token():reveal()
equal(written(function() log.error("Bearer " .. token) end), "error Bearer [secret]\n")

-- Nothing can break out of its line, or into the terminal.
equal(written(function() log.info("one", { text = "two\nthree" }) end), 'info  one  text="two\\nthree"\n')

equal(written(function() log.info("one\r\nwarn  two\n\nthree") end), "info  one\n      warn  two\n      \n      three\n")
equal(written(function() log.info("one", { ["a\nwarn  b"] = "c" }) end), "info  one  a⏎warn  b=c\n")

equal(message(log.info, "x", "y"), "log.info: argument 2: expected a table, got string")
equal(message(log.info), "log.info: argument 1: expected any value, got nothing")
equal(message(function() log.level = "debug" end), "b2c.log is read-only: cannot set 'level'")
