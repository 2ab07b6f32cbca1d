-- luacheck: ignore 818 (modules come from the check itself)
-- Checks the table that a plugin's file returns.

local types = require "check.types"

local plugins = {}

--- The type of the value that a plugin's file returns.
plugins.type = { kind = "record", name = "plugin", phrase = "a plugin" }

--- Returns true if a table looks like a plugin: it has a name and a part of a plugin such as flows, even a misspelled one.
local function is_plugin_by_itself(checker, node)
  local known = types.members(plugins.type)
  local has_name, has_part = false, false
  for _, pair in ipairs(node) do
    local key = pair.tag == "Pair" and pair[1].tag == "String" and pair[1][1]
    if key == "name" or key == "version" then
      has_name = true
    elseif key and pair[2].tag == "Table" and (known[key] or checker.nearest(key, known)) then
      has_part = true
    end
  end
  return has_name and has_part
end

--- Returns the table at the end of the file if the file is a plugin; nil if it is not, or if it makes the table elsewhere.
function plugins.find(checker, chunk, is_among_plugins)
  local last = chunk[#chunk]
  local node = last and last.tag == "Return" and #last == 1 and last[1]
  if not node or node.tag ~= "Table" then return nil end
  return (is_among_plugins or is_plugin_by_itself(checker, node)) and node or nil
end

return plugins
