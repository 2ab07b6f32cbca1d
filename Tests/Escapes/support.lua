-- The common functions of the escapes. An attempt that gets too far prints ESCAPED; an attempt that was stopped by an
-- unexpected error prints ODD. Both fail the test, and so does a canary that is found anywhere.
local args = require "b2c".args

local support = {
  -- The folder beside the script's folder, with canary.txt and module.lua; the home; the address of a socket that no
  -- connection may reach, and its port.
  outside = args.outside, home = args.home, listener = "http://127.0.0.1:" .. args.port, port = args.port,
}

function support.escaped(how) print("ESCAPED: " .. tostring(how)) end

-- Checks that the call is refused for lack of a permission.
function support.denied(f, ...)
  local results = table.pack(pcall(f, ...))
  if results[1] then return support.escaped(results[2]) end
  local problem = results[2]
  if type(problem) ~= "table" or problem.code ~= "permission_denied" then print("ODD: " .. tostring(problem)) end
end

-- Checks that the call fails in any way: it raises an error or returns nil.
function support.fails(f, ...)
  local results = table.pack(pcall(f, ...))
  if results[1] and results[2] ~= nil and results[2] ~= false then support.escaped(results[2]) end
end

-- Checks that the value is nil.
function support.gone(value, what)
  if value ~= nil then support.escaped(what) end
end

-- Reports that the escape ran to its end. Each escape calls this last.
function support.held() print "held" end

return support
