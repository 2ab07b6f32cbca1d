-- Prints tasks or lists as JSON, for an agent.

local b2c = require "b2c"
local place = require "place"

local options = b2c.term.options {
  summary = "Prints tasks or lists as JSON, for an agent.",
  options = {
    { "--lists", "print the lists" },
    { "--state STATE", "open, done or all", choices = { "open", "done", "all" }, default = "all" },
    { "--list LIST", "the list" },
    { "--skip N", "leave out the first tasks", type = "integer", default = 0 },
    { "--limit N", "print at most this many", type = "integer", default = 100 },
    { "--service NAME", "the task service" },
  },
}

if options.lists then
  print(b2c.json.encode { lists = b2c.json.array(b2c.tasks.lists(place(options.service))) })
  return
end

local completed
if options.state ~= "all" then completed = options.state == "done" end

local fields = {
  "id", "text", "completed", "completed_at", "notes", "due", "start", "priority", "labels", "list", "parent", "recurrence", "url", "key",
}
local found, number, more = b2c.json.array {}, 0, false
for task in b2c.tasks.each(place(options.service, { list = options.list, completed = completed })) do
  number = number + 1
  if number > options.skip + options.limit then
    more = true
    break
  end
  if number > options.skip then
    local shown = {}
    for _, name in ipairs(fields) do shown[name] = task[name] end
    found[#found + 1] = shown
  end
end
print(b2c.json.encode { tasks = found, more = more })
