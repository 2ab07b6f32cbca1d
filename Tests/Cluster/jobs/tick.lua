-- needs: --allow-write=ticks.log  keeps each due time
local b2c = require "b2c"

local run = b2c.job {
  summary = "Writes each due time down",
  on = { every = "2s" }, overlap = "queue", catch_up = "all", interrupted = "again", timeout = "60s",
}

local file <close> = assert(io.open("ticks.log", "a"))
file:write(("%d %d\n"):format(math.floor(run.event.due * 1000 + 0.5), run.attempt))
