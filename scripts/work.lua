-- Helps other machines with their imports: sends rows of the imports in the database of --store.

local b2c = require "b2c"
local tasks, term = b2c.tasks, b2c.term

local options = term.options {
  summary = "Helps other machines with their imports: sends rows of the imports in the database of --store.",
  takes = "tasks.work",
  notes = "For example: b2c-run --store postgresql://b2c@db/b2c work. The accounts and the key of the store must be those "
    .. "of the machine that imports; b2c-run help machines describes it.",
}

tasks.work(options)
