-- Writes the plan of an import, for an agent. Changes no task.

local b2c = require "b2c"
local place = require "place"

local options = b2c.term.options {
  summary = "Writes the plan of an import, for an agent. Changes no task.",
  positions = { { "FILE", "the file to import" }, { "PLAN", "the file of the plan" } },
  options = {
    { "--key COLUMN", "the column that tells the rows apart" },
    { "--key-field FIELD", "the field of the task that keeps the key" },
    { "--delete-missing", "also remove the tasks whose keys the file does not have" },
    { "--as-is", "read the file as it is, whatever is doubtful about it" },
    { "--format NAME", "the format of the file" },
    { "--service NAME", "the task service" },
  },
}

b2c.tasks.plan(options[1], place(options.service, {
  plan = options[2], key = options.key, key_field = options.key_field, format = options.format,
  delete_missing = options.delete_missing or nil, as_is = options.as_is or nil,
}))
