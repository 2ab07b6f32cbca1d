-- Keeps the tasks of two accounts alike: what one has and the other lacks is added.
--
--   b2c-run --local examples/jobs/alike.lua

local b2c = require "b2c"
local accounts, tasks = b2c.accounts, b2c.tasks

local run = b2c.job {
  summary = "Keeps the tasks of two accounts alike",
  on = { every = "10m" },
  overlap = "skip",
}

local function account(name, password)
  local found = accounts.find { account_type = name }
  if found then return found end
  -- At the local tenant. Elsewhere, sign in once: b2c-run sign-in --account-type alice
  return accounts.sign_in { account_type = name, agent = "headless", username = name, password = password }
end

local both = { account("alice", "Wonderland-1"), account("bob", "Skyscraper-2") }
if run.event.kind == "hand" then tasks.add("Water the plants", { account = both[1] }) end

local texts = {}
for number, one in ipairs(both) do
  texts[number] = {}
  for task in tasks.each { account = one } do texts[number][task.text] = true end
end
for number, one in ipairs(both) do
  for text in pairs(texts[3 - number]) do
    if not texts[number][text] then
      tasks.add(text, { account = one })
      print(one.name .. " gets " .. text)
    end
  end
end
