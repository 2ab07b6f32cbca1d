-- The types of values in the declarations of the API. A type is a table with a `kind`: "string", "list", "module", …

local types = {}

--- The declarations, as the host gives them: modules, objects and records by name.
local declared

function types.use(declarations) declared = declarations end

local primitives = {
  String = "string", Number = "number", True = "boolean", False = "boolean", Nil = "nil", Table = "table",
  Function = "function",
}

--- The type of a literal; nil for any other node.
function types.of_literal(node)
  local kind = primitives[node.tag]
  return kind and { kind = kind, literal = node }
end

--- Returns the keys of a table of this type by name, and true if there may be other keys; nil if the keys are unknown.
local function members(type)
  if type.kind == "module" then return declared.modules[type.name].members, false end
  if type.kind == "object" then
    local object = declared.objects[type.name]
    return object and object.members, object and object.open
  end
  if type.kind == "record" then
    local record = declared.records[type.name]
    return record.members, record.open ~= nil, record.open
  end
  if type.kind == "map" then return {}, true, type.element end
end

types.members = members

--- Returns the type of the field `name` of a value of this type. The second result describes the problem, if there is one.
function types.field(type, name)
  local known, is_open, others = members(type)
  if not known then return nil end
  if known[name] then return known[name] end
  if is_open then return others end
  return nil, { owner = types.name(type), names = known }
end

--- Returns the name of a type for messages.
function types.name(type)
  if type.kind == "module" then
    if type.name == "(test)" then return "test" end
    return type.name == "" and "b2c" or "b2c." .. type.name
  end
  return type.name or type.kind
end

--- Returns the types of the variables of a loop over an iterator.
function types.elements(type)
  if type.kind == "callback" then return type.results end
end

--- The text of a string literal; nil for any other type.
function types.word(given)
  local literal = given.kind == "string" and given.literal
  return literal and type(literal[1]) == "string" and literal[1] or nil
end

local function has_word(choice, word)
  for _, known in ipairs(choice.words or {}) do
    if known == word then return true end
  end
  return false
end

--- Returns the words that the choices in `type` list.
function types.words_of(type)
  if type.kind == "choice" then return type.words end
  local words = {}
  for _, part in ipairs(type.kind == "either" and type.parts or {}) do
    local more = types.words_of(part)
    table.move(more, 1, #more, #words + 1, words)
  end
  return words
end

--- Returns the words of `type` if it takes `word` only when a plugin adds it; nil if it always takes `word`.
function types.missing_from(type, word)
  local words
  for _, part in ipairs(type.kind == "either" and type.parts or { type }) do
    if part.kind ~= "choice" and types.fits(part, { kind = "string" }) or has_word(part, word) then return nil end
    if part.open then words = part.words end
  end
  return words
end

--- Returns true if a value of type `given` can be a value of type `wanted`, also if this is uncertain.
function types.fits(wanted, given)
  local kind, has = wanted.kind, given.kind
  if kind == "any" or has == "any" then return true end
  if kind == "either" then
    for _, part in ipairs(wanted.parts) do
      if types.fits(part, given) then return true end
    end
    return false
  end
  if has == "either" then
    for _, part in ipairs(given.parts) do
      if types.fits(wanted, part) then return true end
    end
    return false
  end
  local is_table = has == "table" or has == "list" or has == "map" or has == "record" or has == "options"
  if kind == "table" or kind == "list" or kind == "map" or kind == "record" or kind == "options" then return is_table end
  if kind == "function" or kind == "callback" then
    return has == "function" or has == "callback" or has == "api"
  end
  if kind == "choice" then
    if has == "choice" then return true end
    if has ~= "string" then return false end
    local word = types.word(given)
    return not word or wanted.open or has_word(wanted, word)
  end
  if kind == "string" then return has == "string" or has == "choice" end
  if kind == "integer" then
    if has == "number" and given.literal then
      local number = tonumber(given.literal[1])
      return not number or math.tointeger(number) ~= nil
    end
    return has == "integer" or has == "number"
  end
  if kind == "number" then return has == "number" or has == "integer" end
  if kind == "object" then return has == "object" and wanted.name == given.name end
  return kind == has
end

--- Returns the alternative of `type` that fits a table of names: options, a record or a map; nil for none or several.
function types.table_form(type)
  if type.kind ~= "either" then
    local kind = type.kind
    return (kind == "options" or kind == "record" or kind == "map" or kind == "list") and type or nil
  end
  local found
  for _, part in ipairs(type.parts) do
    local form = types.table_form(part)
    if form and found or part.kind == "table" then return nil end
    found = form or found
  end
  return found
end

--- Returns the function type that `type` is or allows, with its parameters and results.
function types.callback(type)
  if type.kind == "callback" then return type end
  if type.kind == "either" then
    for _, part in ipairs(type.parts) do
      local callback = types.callback(part)
      if callback then return callback end
    end
  end
end

--- Returns the words for a given value in messages.
function types.words(given)
  local literal = given.literal
  if literal and given.kind == "string" and type(literal[1]) == "string" then return ("%q"):format(literal[1]) end
  if literal and given.kind == "number" then return literal[1] end
  return types.name(given)
end

return types
