-- Finds calls that wait where Lua cannot wait: C code is between the call and the coroutine that would pause.

local waiting = {}

--- The functions of Lua that call an argument and cannot pause in this call, with the number of the argument.
local callers = { ["table.sort"] = 2, ["string.gsub"] = 3, xpcall = 2, load = 1 }

--- Returns the name of a function of Lua, such as "table.sort", even if it is called by a local variable.
local function callee_name(node)
  local var = node.tag == "Id" and node.var
  if var and #var.values == 1 and var.values[1].node then node = var.values[1].node end
  if node.tag == "Id" and not node.var then return node[1] end
  local base = node.tag == "Index" and node[2].tag == "String" and node[1]
  if base and base.tag == "Id" and not base.var then return base[1] .. "." .. node[2][1] end
end

--- Returns the first call in the function that waits, directly or through a function of the script; nil if there is none.
local function find(checker, body, visited)
  if visited[body] then return nil end
  visited[body] = true
  local found
  local function visit(node)
    if found or type(node) ~= "table" then return end
    if node.tag == "Call" or node.tag == "Invoke" then
      local callee = checker:callee(node)
      if callee and callee.waits then
        found = { node = node, name = callee.name }
        return
      end
      local inner = node.tag == "Call" and checker.inference:body(node[1])
      local below = inner and find(checker, inner, visited)
      if below then
        found = { node = node, name = below.name }
        return
      end
    end
    -- A function made here runs elsewhere.
    for _, child in ipairs(node) do
      if type(child) == "table" and child.tag ~= "Function" then visit(child) end
    end
  end
  for _, statement in ipairs(body[2]) do visit(statement) end
  return found
end

local function check_function(checker, node, place)
  local callee = checker.inference:of(node)
  if callee and callee.waits then
    return checker:report("821", node, ("%s has to wait, and Lua cannot pause in %s"):format(callee.name, place))
  end
  local body = checker.inference:body(node)
  local found = body and find(checker, body, {})
  if found then
    checker:report("821", found.node, ("%s has to wait, and Lua cannot pause in %s"):format(found.name, place),
      "call it before, keep its result, and use that here")
  end
end

--- Checks a call of a function of Lua that calls a function of the script.
function waiting.check(checker, node)
  if node.tag == "Call" then
    local called = callee_name(node[1])
    local position = callers[called]
    if position and node[position + 1] then
      check_function(checker, node[position + 1], ("the function of %s"):format(called))
    end
    local target = node[1].tag == "Id" and not node[1].var and node[1][1] == "setmetatable" and node[3]
    if target and target.tag == "Table" then
      for _, pair in ipairs(target) do
        if pair.tag == "Pair" and pair[1].tag == "String" and pair[1][1] == "__tostring" then
          check_function(checker, pair[2], "__tostring")
        end
      end
    end
  elseif node[2][1] == "gsub" and node[4] then
    check_function(checker, node[4], "the function of string.gsub")
  end
end

return waiting
