-- Prints how a file would be imported as JSON, for an agent. Sends nothing.

local b2c = require "b2c"

local options = b2c.term.options {
  summary = "Prints how a file would be imported as JSON, for an agent. Sends nothing.",
  positions = { { "FILE", "the file" } },
}
print(b2c.json.encode(b2c.tasks.recognize(options[1])))
