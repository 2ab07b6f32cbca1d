-- luacheck: ignore 818 (modules come from the check itself)
-- Infers the certain types of a script's expressions: modules of the API, its functions and their results.

local types = require "check.types"

local inference = {}
inference.__index = inference

--- Returns the inference for one file. `globals` has the types of global names.
function inference.new(globals)
  -- `given` has the types of variables that get their values from elsewhere: arguments of callbacks, variables of loops.
  return setmetatable({ globals = globals, given = {}, known = {} }, inference)
end

--- Returns the type of an expression's result number `position` (1 if not given); nil if it is uncertain.
function inference:of(node, position)
  position = position or 1
  if position == 1 and self.known[node] ~= nil then return self.known[node] or nil end
  -- The type of an expression that depends on itself is uncertain.
  if position == 1 then self.known[node] = false end
  local infer = self[node.tag]
  local type
  if infer then type = infer(self, node, position) elseif position == 1 then type = types.of_literal(node) end
  if position == 1 then self.known[node] = type or false end
  return type
end

function inference:Paren(node, position) return position == 1 and self:of(node[1]) or nil end

function inference:Id(node, position)
  if position > 1 then return nil end
  local var = node.var
  if not var then return self.globals[node[1]] end
  if self.given[var] then return self.given[var] end
  if var.type ~= "var" and var.type ~= "func" or #var.values ~= 1 then return nil end
  local value = var.values[1]
  if not value.node then return nil end
  local item = value.item
  local offset
  for i, left in ipairs(item.lhs) do
    if left == value.var_node then offset = i end
  end
  local right = item.rhs
  if not offset or not right then return self:of(value.node) end
  if offset < #right then return self:of(right[offset]) end
  return self:of(right[#right], offset - #right + 1)
end

function inference:Index(node, position)
  if position > 1 then return nil end
  local base = self:of(node[1])
  if base and base.kind == "list" then return base.element end
  return base and node[2].tag == "String" and (types.field(base, node[2][1])) or nil
end

function inference:Call(node, position)
  local callee = self:of(node[1])
  if not callee then return nil end
  if callee.kind == "require" then
    local name = position == 1 and node[2] and node[2].tag == "String" and node[2][1]
    return name and callee.modules[name] or nil
  end
  if callee.kind == "assert" then return node[2] and self:of(node[2]) end
  return callee.results and callee.results[position] or nil
end

function inference:Invoke(node, position)
  local base = self:of(node[1])
  local method = base and types.field(base, node[2][1])
  return method and method.results and method.results[position] or nil
end

function inference:Op(node, position)
  if position > 1 then return nil end
  local operator = node[1]
  if operator == "and" then
    local right = self:of(node[3])
    return right and right.kind ~= "nil" and right.kind ~= "boolean" and right or nil
  end
  if operator == "or" then
    local left, right = self:of(node[2]), self:of(node[3])
    if left and right and left.kind == right.kind and left.name == right.name and left.name then return left end
    return nil
  end
  if operator == "concat" then return { kind = "string" } end
  if operator == "not" then return { kind = "boolean" } end
end

--- Returns the function literal that is called; nil if another value is called.
function inference:body(node)
  if node.tag == "Function" then return node end
  if node.tag == "Paren" then return self:body(node[1]) end
  local var = node.tag == "Id" and node.var
  local value = var and #var.values == 1 and var.values[1] or var and #var.values == 2 and var.values[1].empty and var.values[2]
  return value and value.node and value.node.tag == "Function" and value.node or nil
end

return inference
