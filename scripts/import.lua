-- Imports a task list from a file. Run the command again to continue an interrupted import.

local b2c = require "b2c"
local accounts, tasks, tenant, term = b2c.accounts, b2c.tasks, b2c.tenant, b2c.term

local options = term.options {
  summary = "Imports a task list from a file. Run the command again to continue an interrupted import.",
  positions = {
    { "FILE", "such as tasks.csv, tasks.json.gz, todo.txt; - is standard input" },
  },
  takes = "tasks.import",
  notes = "Failed rows are written to FILE.failed.ndjson, those of a table also to FILE.failed.csv. Correct the rows in one of "
    .. "these files, and import the file: its rows then count as settled in the first import, too.",
}

local file = table.remove(options, 1)
-- The local tenant has a user who can sign in; otherwise a user must be signed in. The check follows the check of the file.
options.account = tenant.is_running() and tenant.sign_in or accounts.get
print(tasks.import(file, options))
