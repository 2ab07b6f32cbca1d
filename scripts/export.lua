-- Writes all tasks of an account to a file.

local b2c = require "b2c"
local accounts, tasks, tenant, term = b2c.accounts, b2c.tasks, b2c.tenant, b2c.term

local options = term.options {
  summary = "Writes all tasks of an account to a file.",
  positions = { { "FILE", "such as tasks.csv, tasks.json.gz, todo.txt; - is standard output" } },
  takes = "tasks.export",
  notes = "b2c-run import adds these tasks to another account or at another API.",
}

local file = table.remove(options, 1)
-- The local tenant has a user who can sign in; otherwise a user must be signed in. The check follows the check of the file.
options.account = tenant.is_running() and tenant.sign_in or accounts.get

local done = tasks.export(file, options)
b2c.log.info(("%d tasks, %d bytes: %s"):format(done.tasks, done.bytes, done.path == "-" and "standard output" or done.path))
