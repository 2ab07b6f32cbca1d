-- Runs programs, which can do anything that Lua cannot.
-- From: embedders that kept os.execute or io.popen: HAProxy, Wireshark, Kong, Splunk and more.
local e = require "support"
for _, command in ipairs { "cat ../outside/canary.txt", "true", "echo $CANARY_VARIABLE", "/bin/sh", "" } do
  e.denied(io.popen, command)
  e.denied(io.popen, command, "w")
  e.denied(os.execute, command)
end
e.held()
