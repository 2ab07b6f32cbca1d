-- Uses the parts of require, which read files by themselves.
-- From: sandboxes whose own require is a Lua function with the unguarded functions as upvalues.
local e = require "support"
e.gone(package.require_search, "require_search")
e.gone(package.require_load, "require_load")
e.gone(debug.getupvalue, "debug.getupvalue")
string.match = function() return nil end
string.format = function(...) for _, value in ipairs { ... } do if type(value) == "function" then e.escaped "a loader" end end return "" end
e.fails(require, "nowhere")
e.held()
