-- Carries out a plan that a person has approved, and prints the outcome as JSON, for an agent.

local b2c = require "b2c"
local place = require "place"

local options = b2c.term.options {
  summary = "Carries out a plan that a person has approved, and prints the outcome as JSON, for an agent.",
  positions = { { "PLAN", "the file of the plan" }, { "DIGEST", "the digest that was approved" } },
  options = { { "--service NAME", "the task service" } },
}

-- A file with another digest is another plan, and is not carried out.
local approved = { path = options[1], id = "", digest = options[2], counts = {}, notes = {} }
local result = b2c.tasks.apply(approved, place(options.service, { progress = "none" }))
local open = b2c.json.array {}
for i, row in ipairs(result.open) do
  if i <= 100 then open[i] = row end
end
print(b2c.json.encode { id = result.id, complete = result.complete, counts = result.counts, open = open })
