-- Is allowed one program, and has the shell run another along with it.
-- From: allow-lists of commands that a shell then takes apart (CWE-78); Deno's --allow-run takes no shell for it.
-- flags: --allow-run=true
local e = require "support"
local other = "cat ../outside/canary.txt"
for _, command in ipairs {
  "true; " .. other, "true;" .. other, "true && " .. other, "true || " .. other, "true | " .. other, "true & " .. other,
  "true\n" .. other, "true $(" .. other .. ")", "true `" .. other .. "`", "true > ../outside/new.txt",
  "true < ../outside/canary.txt", "$(" .. other .. ")", "(" .. other .. ")", "{ " .. other .. "; }", "! " .. other,
  "LD_PRELOAD=./evil.so true", "true=1 " .. other, "true\r\n" .. other, "\ttrue\n" .. other, "true\\\n;" .. other,
  "tru\"e\"; " .. other, "'true'; " .. other, "./true", "/tmp/true", "../true", "truE", "true~", "exec " .. other, "eval true",
  "true #\n" .. other, "~/true", "true *", "true ${IFS}", "true\v;" .. other, "true\0; " .. other .. "; " .. other,
} do
  if not command:find "\0" then e.denied(os.execute, command) e.denied(io.popen, command) end
end
if not os.execute "true" then print "ODD: true may run" end
e.held()
