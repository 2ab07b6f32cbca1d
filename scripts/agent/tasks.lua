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
local found = b2c.json.array {}
local all = b2c.tasks.list(place(options.service, { list = options.list, completed = completed }))
local last = math.min(#all, options.skip + options.limit)
for i = options.skip + 1, last do
  local shown = {}
  for _, name in ipairs(fields) do shown[name] = all[i][name] end
  found[#found + 1] = shown
end
print(b2c.json.encode { tasks = found, more = last < #all })
