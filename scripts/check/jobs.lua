-- luacheck: ignore 818 (modules come from the check itself)
-- Checks the declaration of a job: the constant parts of the table given to `b2c.job` go to the reader of the server.

local jobs = {}

-- Stands for a value that only the running script knows.
local unknown = {}
local deepest = 16

local constant

--- Returns the value of a table literal, without the entries that are unknown, and whether there are such entries.
local function table_value(node, nodes, path, depth)
  local value, position, is_whole = {}, 0, true
  for _, item in ipairs(node) do
    local key, content
    if item.tag == "Pair" then
      key, content = constant(item[1], nodes, path, depth + 1), item[2]
    else
      position = position + 1
      key, content = position, item
    end
    local is_name = type(key) == "string"
    local place = is_name and (path == "" and key or path .. "." .. key) or ("%s[%s]"):format(path, tostring(key))
    local entry = unknown
    if is_name or key == position then entry = constant(content, nodes, place, depth + 1) end
    if entry == unknown then is_whole = false end
    if is_name or key == position then
      nodes[place] = item
      -- An entry of a list keeps its place.
      if entry ~= unknown or not is_name then value[key] = entry end
    end
  end
  return value, is_whole
end

--- Returns the value of an expression; `unknown` if only the running script knows it.
function constant(node, nodes, path, depth)
  if depth > deepest then return unknown end
  local tag = node.tag
  if tag == "String" then return tostring(node[1]) end
  if tag == "Number" then return tonumber(node[1]) or unknown end
  if tag == "True" then return true end
  if tag == "False" then return false end
  if tag == "Paren" then return constant(node[1], nodes, path, depth + 1) end
  if tag == "Op" and node[1] == "unm" then
    local value = constant(node[2], nodes, path, depth + 1)
    return type(value) == "number" and -value or unknown
  end
  if tag == "Op" and node[1] == "concat" then
    local left, right = constant(node[2], nodes, path, depth + 1), constant(node[3], nodes, path, depth + 1)
    return type(left) == "string" and type(right) == "string" and left .. right or unknown
  end
  if tag == "Id" and node.var and #node.var.values == 1 then
    local value = node.var.values[1]
    local item = value.item
    if node.var.type == "var" and value.node and item and item.tag == "Local" and #item.lhs == #(item.rhs or {})
      and value.node.tag ~= "Table" then
      return constant(value.node, nodes, path, depth + 1)
    end
  end
  if tag == "Table" then
    local value, is_whole = table_value(node, nodes, path, depth)
    -- A table of settings may lack entries. An event, and a list, cannot.
    if is_whole or path == "" or path == "retry" or path == "keep" then return value end
    if path == "on" and value[1] ~= nil then
      for i, entry in ipairs(value) do
        if entry == unknown then value[i] = { start = true } end
      end
      return value
    end
  end
  return unknown
end

--- Returns the constant part of a declaration; nil if there is none.
local function literal(argument, nodes)
  if not argument or argument.tag ~= "Table" then return nil end
  local declaration = constant(argument, nodes, "", 0)
  if declaration == unknown then return nil end
  for _, item in ipairs(argument) do
    local is_event = item.tag == "Pair" and item[1].tag == "String" and item[1][1] == "on"
    if is_event and declaration.on == nil then declaration.on = { start = true } end
    -- Other checks report values without names; a computed name is unknown.
    if item.tag ~= "Pair" or item[1].tag ~= "String" then return nil end
  end
  return declaration
end

--- Reports the mistake that keeps a job from running, at the entry that the server's reader names. Returns the name of the
--- entry; nil without a mistake.
function jobs.check(checker, node, problem)
  local nodes = {}
  local declaration = literal(node[2], nodes)
  local column = checker.state:offset_to_column(node.line, node.offset)
  local path, message, hint = problem(declaration, node.line, column)
  if not path then return end
  local place = path
  while place ~= "" and not nodes[place] do place = place:match "^(.*)[.%[]" or "" end
  checker:report("832", nodes[place] or node, message, hint)
  return path:match "^[%w_]+"
end

return jobs
