-- Writes the plan of the changes in a JSON file, for an agent. Changes no task.

local b2c = require "b2c"
local place = require "place"

local options = b2c.term.options {
  summary = "Writes the plan of the changes in a JSON file, for an agent. Changes no task.",
  positions = { { "CHANGES", "the file with the changes" }, { "PLAN", "the file of the plan" } },
  options = { { "--service NAME", "the task service" } },
}

local file <close> = assert(io.open(options[1]))
local wanted = b2c.json.decode(file:read "a")

local kinds = {}
function kinds.add(change) return { add = change.fields } end
function kinds.remove(change) return { task = change.id, remove = true } end
function kinds.set(change)
  local set = {}
  -- null removes a field.
  for name, value in pairs(change.fields) do
    if value == b2c.json.null then value = false end
    set[name] = value
  end
  return { task = change.id, set = set }
end

local changes = {}
for i, change in ipairs(wanted.changes) do changes[i] = kinds[change.kind](change) end
b2c.tasks.plan_changes(changes, place(options.service, { plan = options[2], source = wanted.source }))
