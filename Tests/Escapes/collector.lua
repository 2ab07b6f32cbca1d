-- Drives the garbage collector by hand while the host holds values of the script.
-- From: Redis CVE-2024-46981; collectgarbage "step" and "generational" in 5.4.4 have had bugs of their own.
local e = require "support"
for _, option in ipairs { "stop", "restart", "step", "generational", "incremental", "setpause", "setstepmul", "isrunning" } do
  e.fails(collectgarbage, option, 1)
end
if type(collectgarbage "count") ~= "number" then print "ODD" end
e.held()
