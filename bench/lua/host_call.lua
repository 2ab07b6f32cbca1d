-- Prints the nanoseconds of one call of `call`, without the loop around it. In b2c-run this is the cheapest call into
-- the host. In lua5.4 the global is set before this script runs.
local call = call or require("b2c").term.is_tty
local calls = 10000000

local function nothing_but_the_loop()
  local start = os.clock()
  for _ = 1, calls do end
  return os.clock() - start
end

local function the_calls()
  local start = os.clock()
  for _ = 1, calls do call() end
  return os.clock() - start
end

print((the_calls() - nothing_but_the_loop()) / calls * 1e9)
