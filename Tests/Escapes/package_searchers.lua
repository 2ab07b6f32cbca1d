-- Restores the searchers for native modules, or adds its own.
-- From: sandboxes that only emptied package.cpath.
local e = require "support"
e.gone(package.searchers, "package.searchers")
e.gone(package.loaders, "package.loaders")
package.searchers = { function(name) return function() return "ESCAPED: a searcher ran for " .. name end end }
local ok, module = pcall(require, "nowhere")
if ok then print(module) end
e.held()
