-- needs: --allow-write=long.log  keeps each beginning
local b2c = require "b2c"

local run = b2c.job {
  summary = "Goes on for longer than a machine lives",
  on = { every = "1s" }, interrupted = "again", timeout = "60s",
}

do
  local file <close> = assert(io.open("long.log", "a"))
  file:write(("%d %d\n"):format(run.id, run.attempt))
end
b2c.async.sleep(6)
