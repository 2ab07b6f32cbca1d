-- Counts its runs.
--
-- by hand:              b2c-run PATH.lua
-- each morning:         b2c-run serve
-- the next due times:   b2c-run jobs next NAME
--
-- A job that needs more than the provider and the task API of the settings says so here, one need per line:
-- "needs: --allow-net=hooks.example.com  posts the summary there". A person allows it: b2c-run jobs allow NAME.

local b2c = require "b2c"

local run = b2c.job {
  summary = "Counts its runs",
  on = { cron = "30 7 * * mon-fri" },
  retry = { attempts = 3, first = "10s", most = "10m" },
}

-- The state is stored when the run ends well.
run.state.runs = (run.state.runs or 0) + 1
print("run " .. run.state.runs .. ", started by " .. run.event.kind)
