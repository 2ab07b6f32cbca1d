-- luacheck: ignore 818 (modules come from the check itself)
-- `b2c-run check`: luacheck finds the mistakes in the Lua code; this file finds the mistakes in the use of the API.
--
-- The check runs in a separate Lua state with luacheck's modules. The host passes the declarations of the API, the
-- globals that scripts see, and a function that finds the nearest of several names.

local check = require "luacheck.check"
local filter = require "luacheck.filter"
local format = require "luacheck.format"
local stages = require "luacheck.stages"

local calls = require "check.calls"
local inference = require "check.inference"
local jobs = require "check.jobs"
local plugins = require "check.plugins"
local types = require "check.types"
local waiting = require "check.waiting"

local declarations, std, nearest_name = ...
types.use(declarations)

-- The modules that every script has.
local known_modules = { "b2c" }
for name in pairs(declarations.globals.require.modules) do known_modules[#known_modules + 1] = name end
table.sort(known_modules)

-- The known facts about the checked file, and the names of its variables.
local facts, locals

local checker = {}
checker.__index = checker

function checker.sorted(names)
  local list = {}
  for name in pairs(names) do list[#list + 1] = name end
  table.sort(list)
  return list
end

--- Returns a hint with the name in `names` that is probably meant; nil if no name is near.
function checker.nearest(name, names) return checker.nearest_of(name, checker.sorted(names)) end

--- Returns the same hint for a list of names.
function checker.nearest_of(name, list)
  local found = nearest_name(name, list)
  return found and ("did you mean '%s'?"):format(found)
end

function checker:report(code, node, message, hint)
  self.state:warn_range(code, node, { message = hint and message .. "; " .. hint or message })
end

--- Returns the API function that a call calls; nil for any other function.
function checker:callee(node)
  if node.tag == "Invoke" then
    local base = self.inference:of(node[1])
    local method = base and types.field(base, node[2][1])
    return method and method.kind == "api" and method or nil
  end
  local callee = self.inference:of(node[1])
  return callee and callee.kind == "api" and callee or nil
end

local visit = {}

function visit.Index(self, node)
  if node[2].tag ~= "String" then return end
  local base = self.inference:of(node[1])
  local _, problem = nil, nil
  if base then _, problem = types.field(base, node[2][1]) end
  if problem then
    self:report("811", node[2], ("%s has no '%s'"):format(problem.owner, node[2][1]),
      self.nearest(node[2][1], problem.names))
  end
end

function visit.Call(self, node)
  waiting.check(self, node)
  local required = node[1].tag == "Id" and not node[1].var and node[1][1] == "require" and node[2]
  if required and required.tag == "String" and tostring(required[1]):find "^b2c%." then
    local modules = declarations.globals.require.modules
    if not modules[required[1]] then
      self:report("811", required, ("there is no module '%s'"):format(required[1]),
        self.nearest(required[1], modules))
    end
  elseif required and required.tag == "String" and not facts.is_module(tostring(required[1])) then
    self:report("818", required, ("there is no module '%s'"):format(required[1]),
      self.nearest_of(required[1], known_modules) or "require looks in the script's folder")
  end
  local callee = self:callee(node)
  if not callee then return end
  if callee.method then
    local first = node[2] and self.inference:of(node[2])
    if not first or first.kind ~= "object" then
      self:report("815", node, ("%s is called with a colon"):format(callee.name))
    end
    return
  end
  if (callee.name == "job" or callee.name == "b2c.job") and facts.job_problem then
    -- The check reports a mistake once, in the words of the server.
    self.told[node[2] or node] = jobs.check(self, node, facts.job_problem)
  end
  calls.check(self, callee, node, 2)
end

function visit.Invoke(self, node)
  waiting.check(self, node)
  local base = self.inference:of(node[1])
  if not base then return end
  local _, problem = types.field(base, node[2][1])
  if problem then
    return self:report("811", node[2], ("%s has no '%s'"):format(problem.owner, node[2][1]),
      self.nearest(node[2][1], problem.names))
  end
  local callee = self:callee(node)
  if not callee then return end
  if not callee.method then
    return self:report("815", node, ("%s is called with a dot"):format(callee.name))
  end
  calls.check(self, callee, node, 3)
end

--- Reports a loop over a value that is not an iterator: a function that must be called first, or a list.
local function check_loop(self, source, type)
  local result = type.kind == "api" and type.results[1] or {}
  if result.kind == "callback" then
    self:report("817", source, ("%s is not called: a loop takes the iterator it returns"):format(type.name),
      ("write %s()"):format(type.name))
  elseif result.kind == "list" or result.kind == "map" then
    local goes = result.kind == "list" and "ipairs" or "pairs"
    self:report("817", source, ("%s is not called: it returns %s"):format(type.name, result.phrase),
      ("write %s(%s())"):format(goes, type.name))
  elseif type.kind == "list" or type.kind == "map" then
    local goes = type.kind == "list" and "ipairs" or "pairs"
    self:report("817", source, ("a loop cannot call %s"):format(type.phrase), ("write %s(…)"):format(goes))
  end
end

--- Checks a loop over a value of the API, and gives the types of its elements to the variables.
function visit.Forin(self, node)
  local source = node[2][1]
  local iterator = source and self.inference:of(source)
  if iterator then check_loop(self, source, iterator) end
  local elements = iterator and types.elements(iterator)
  local called = source.tag == "Call" and source[1].tag == "Id" and not source[1].var and source[1][1]
  if called == "ipairs" or called == "pairs" then
    local list = source[2] and self.inference:of(source[2])
    if list and (list.kind == "list" and called == "ipairs" or list.kind == "map") then
      elements = { list.kind == "list" and { kind = "integer" } or { kind = "string" }, list.element }
    end
  end
  for i, variable in ipairs(node[1]) do
    if elements and elements[i] and variable.var then self.inference.given[variable.var] = elements[i] end
  end
end

function visit.Set(self, node)
  for _, target in ipairs(node[1]) do
    local base = target.tag == "Index" and self.inference:of(target[1])
    if base and base.kind == "module" then
      self:report("816", target, ("%s is read-only"):format(types.name(base)))
    end
  end
end

--- The value that a plugin's file returns is the plugin.
function visit.Return(self, node)
  if self.plugin and self.plugin == node[1] then calls.check_value(self, plugins.type, self.plugin, "plugin: ") end
end

function visit.Id(self, node)
  if node.var then self.locals[node[1]] = true end
end

local function walk(self, node)
  local handle = visit[node.tag]
  if handle then handle(self, node) end
  for _, child in ipairs(node) do
    if type(child) == "table" then walk(self, child) end
  end
end

stages.modules[#stages.modules + 1] = {
  run = function(state)
    local globals = {}
    for name, type in pairs(declarations.globals) do globals[name] = type end
    if facts.is_test then
      for name, type in pairs(declarations.test_globals) do globals[name] = type end
    end
    locals = {}
    local self = setmetatable({ state = state, inference = inference.new(globals), locals = locals }, checker)
    self.added_flows, self.told = {}, {}
    self.plugin = plugins.find(self, state.ast, facts.is_plugin)
    -- The checker cannot know which names plugins add when they run.
    self.has_plugins = facts.has_plugins or self.plugin ~= nil
    for _, mistake in ipairs(facts.header_mistakes) do
      local offset = state.line_offsets[mistake.line]
      self:report("831", { line = mistake.line, offset = offset, end_offset = offset }, mistake.message, mistake.hint)
    end
    walk(self, state.ast)
  end,
}
local fields = { "code", "line", "column", "end_column", "message" }
for _, code in ipairs { "811", "812", "813", "814", "815", "816", "817", "818", "821", "831", "832" } do
  local set = {}
  for _, field in ipairs(fields) do set[field] = true end
  stages.warnings[code] = { message_format = "{message}", fields = fields, fields_set = set }
end

-- Harmless warnings are ignored as matters of taste: unused arguments, shadowed names, white space, long lines, complexity.
local ignored = { "21[23]", "23[12]", "4[23]", "542", "561", "6" }

local function message(warning)
  local text = format.get_message(warning)
  if warning.code == "011" and text:find("near '!'", 1, true) then
    return text .. "; Lua writes ~= and not, where other languages write != and !"
  end
  if warning.code == "113" and warning.name == "await" then
    return text .. "; Lua has no await: a call that waits returns its result"
  end
  if warning.code == "143" then
    local global = std.read_globals[warning.name]
    local near = global and global.fields and checker.nearest(warning.field, global.fields)
    return near and text .. "; " .. near or text
  end
  if warning.code ~= "113" then return text end
  if declarations.test_globals[warning.name] then
    local module = declarations.modules[warning.name]
    if module then return ("%s; write local %s = require \"b2c.%s\""):format(text, warning.name, warning.name) end
    if warning.name == "b2c" then return text .. '; write local b2c = require "b2c"' end
    return text .. ", which there is in tests (*_test.lua) only"
  end
  local near = checker.nearest(warning.name, std.read_globals) or checker.nearest(warning.name, locals)
  return near and text .. "; " .. near or text
end

--- Returns the problems of a script: a list of { line, column, message, code }.
---
--- `about` has the known facts about the script. `is_test` and `is_plugin` are flags; a plugin is in the folder of plugins.
--- `has_plugins` is true if there are plugins. `is_module` is a function: does `require` find a module of this name?
--- `header_mistakes` is a list of { line, message, hint }. `job_problem` is a function, which gets each call of `b2c.job`: the
--- constant part of its table or nil, the line and the column. It returns the entry, the message and the hint of a mistake.
return function(source, about)
  facts = about
  local report = check(source)
  local options = { std = std, ignore = ignored, max_line_length = false, self = false }
  if facts.is_test then
    options.read_globals = checker.sorted(declarations.test_globals)
  end
  local findings = {}
  for i, warning in ipairs(filter.filter({ report }, options)[1]) do
    findings[i] = { line = warning.line, column = warning.column, message = message(warning), code = warning.code }
  end
  return findings
end
