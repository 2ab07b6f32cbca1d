-- What the escapes have in common. An attempt that gets further than it may prints ESCAPED; one that was stopped by
-- something else than was expected prints ODD. Either fails the test, and so does a canary that turns up anywhere.
local args = require "b2c".args

local support = {
  -- The folder beside the script's, with canary.txt and module.lua; the home; the address of a socket that no
  -- connection may reach, and its port.
  outside = args.outside, home = args.home, listener = "http://127.0.0.1:" .. args.port, port = args.port,
}

function support.escaped(how) print("ESCAPED: " .. tostring(how)) end

-- Must be refused for want of a permission.
function support.denied(f, ...)
  local results = table.pack(pcall(f, ...))
  if results[1] then return support.escaped(results[2]) end
  local problem = results[2]
  if type(problem) ~= "table" or problem.code ~= "permission_denied" then print("ODD: " .. tostring(problem)) end
end

-- Must fail, in whatever way: raise an error, or return nil.
function support.fails(f, ...)
  local results = table.pack(pcall(f, ...))
  if results[1] and results[2] ~= nil and results[2] ~= false then support.escaped(results[2]) end
end

-- Must not be there.
function support.gone(value, what)
  if value ~= nil then support.escaped(what) end
end

-- The last thing an escape does: it was tried to its end.
function support.held() print "held" end

return support
