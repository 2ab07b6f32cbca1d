-- Writes all tasks of an account to a file.

local b2c = require "b2c"
local accounts, tasks, tenant, term = b2c.accounts, b2c.tasks, b2c.tenant, b2c.term

local options = term.options {
  summary = "Writes all tasks of an account to a file.",
  positions = { { "FILE", "such as tasks.csv, tasks.json.gz, todo.txt; - is standard output" } },
  options = {
    { "--format FORMAT", "what FILE is to be, where its name does not say", choices = tasks.formats },
    { "--separator CHARACTER", "between the fields of a CSV file; a comma if not given" },
  },
  notes = "b2c-run import makes the same tasks of it again, for another account or at another API.",
}

-- The local tenant has somebody to sign in; else somebody has to be. Asked for when the file has been looked at.
local account = tenant.is_running() and tenant.sign_in or accounts.get

local done = tasks.export(options[1], { format = options.format, separator = options.separator, account = account })
b2c.log.info(("%d tasks, %d bytes: %s"):format(done.tasks, done.bytes, done.path == "-" and "standard output" or done.path))
