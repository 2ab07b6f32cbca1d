-- Has permission for one program and makes the shell run another one too.
-- From: lists of allowed commands that a shell then interprets (CWE-78); Deno's --allow-run uses no shell.
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
