-- luacheck: ignore 818 (modules come from the check itself)
-- Checks calls of the API: the number and types of the arguments, and the options.

local types = require "check.types"

local calls = {}

local function is_unpacking(node)
  return node ~= nil and (node.tag == "Dots" or node.tag == "Call" or node.tag == "Invoke")
end

local function expected(type) return "expected " .. type.phrase end

local check_value

--- Gives the function literal's parameters their types, and checks the results of the function literal.
local function give(checker, callback, node, place)
  for i, argument in ipairs(node[1]) do
    local parameter = callback.parameters[i]
    if parameter and argument.var then checker.inference.given[argument.var] = parameter.type end
  end
  local function visit(statement)
    if statement.tag == "Return" then
      for i, value in ipairs(statement) do
        local wanted = callback.results[i]
        if wanted and value.tag == "Table" then check_value(checker, wanted, value, place .. "returned ", true) end
      end
    end
    for _, child in ipairs(statement) do
      if type(child) == "table" and child.tag ~= "Function" then visit(child) end
    end
  end
  for _, statement in ipairs(node[2]) do visit(statement) end
end

--- Checks the fields of a table literal. `place` is the literal's place for messages: "tasks.import: ".
local function check_table(checker, form, node, place)
  if form.kind == "list" then
    for _, element in ipairs(node) do
      if element.tag ~= "Pair" then check_value(checker, form.element, element, place .. "element: ") end
    end
    return
  end
  local known, is_open, others
  if form.kind == "options" then known, is_open = form.members, false else known, is_open, others = types.members(form) end
  local word = form.kind == "options" and "option" or "field"
  local seen, is_complete = {}, true
  local told = checker.told[node]
  for _, pair in ipairs(node) do
    local key = pair.tag == "Pair" and pair[1]
    if key and told and key[1] == told then
      seen[told] = true
    elseif not key then
      if form.kind == "options" and not is_unpacking(pair) then
        checker:report("812", pair, place .. "options have names, this value has none")
      end
      is_complete = false
    elseif key.tag ~= "String" then
      is_complete = false
    elseif known[key[1]] then
      seen[key[1]] = true
      check_value(checker, known[key[1]], pair[2], ("%s%s '%s': "):format(place, word, key[1]), true)
    elseif is_open then
      if others then check_value(checker, others, pair[2], ("%s%s '%s': "):format(place, word, key[1]), true) end
    else
      checker:report("812", key, ("%sunknown %s '%s'"):format(place, word, key[1]), checker.nearest(key[1], known))
    end
  end
  if not is_complete then return end
  for _, name in ipairs(checker.sorted(known)) do
    if known[name].required and not seen[name] and name ~= told then
      checker:report("813", node, ("%s%s '%s' is missing: %s"):format(place, word, name, expected(known[name])))
    end
  end
end

--- Checks one argument, option or field.
function check_value(checker, wanted, node, place, may_be_nil)
  local callback = node.tag == "Function" and types.callback(wanted)
  if callback then give(checker, callback, node, place) end
  local given = checker.inference:of(node)
  if not given or given.kind == "nil" and may_be_nil then return end
  local word = types.word(given)
  if not types.fits(wanted, given) then
    return checker:report("814", node, ("%s%s, got %s"):format(place, expected(wanted), types.words(given)),
      word and checker.nearest_of(word, types.words_of(wanted)))
  end
  local words = word and types.missing_from(wanted, word)
  if words and not checker.has_plugins and not checker.added_flows[word] then
    return checker:report("814", node, ('%sexpected one of "%s", got %q'):format(place, table.concat(words, '", "'), word),
      checker.nearest_of(word, words) or "where a plugin adds it, name that with --plugin")
  end
  local form = node.tag == "Table" and types.table_form(wanted)
  if form then check_table(checker, form, node, place) end
end

calls.check_value = check_value

--- Checks the call `node` of `callee`. The arguments begin at node[first].
function calls.check(checker, callee, node, first)
  local parameters = callee.parameters
  local count = #node - first + 1
  -- A flow that the script adds has its name from here on.
  local name = callee.name == "accounts.add_flow" and node[first]
  if name and name.tag == "String" then checker.added_flows[name[1]] = true end
  for i, parameter in ipairs(parameters) do
    local argument = node[first + i - 1]
    local place = ("%s: argument %d: "):format(callee.name, i)
    if not argument then
      if parameter.required and not is_unpacking(count > 0 and node[#node] or nil) then
        checker:report("813", node, place .. expected(parameter) .. ", got nothing")
      end
      break
    end
    if not (is_unpacking(argument) and i == count) then
      local inner = parameter.kind == "options" and callee.name .. ": " or place
      if argument.tag == "Nil" and parameter.required and parameter.kind ~= "any" then
        checker:report("814", argument, place .. expected(parameter) .. ", got nil")
      else
        check_value(checker, parameter, argument, argument.tag == "Table" and inner or place, not parameter.required)
      end
    end
  end
  if count > #parameters and not callee.variadic and not is_unpacking(node[first + #parameters]) then
    local allowed = #parameters == 1 and "1 argument" or #parameters .. " arguments"
    checker:report("813", node[first + #parameters], ("%s takes %s, got %d"):format(callee.name, allowed, count))
  end
end

return calls
