-- The main steps in one script: sign in, import a thousand tasks, list them, switch users.
--
--   b2c-run --local examples/quickstart.lua
--
-- --local starts a tenant on this machine, with the users alice and bob. To use your own tenant, write a
-- settings.plist, leave out --local, and sign in with agent = "terminal" instead of a user name and password.

local b2c = require "b2c"
local accounts, tasks, args = b2c.accounts, b2c.tasks, b2c.args

local function say(...) print(string.format(...)) end

-- Both handlers are registered before the first sign-in, so they receive every event.
accounts.on_changed(function(change)
  say("  %-8s %s, by %s", change.kind, change.account.name, change.reason)
end)

accounts.on_failed(function(failure)
  say("  failed   attempt %d: %s", failure.attempt, failure.error.message)
  say("           code %s; hint: %s", failure.error.code, failure.error.hint)
  -- The sign-in continues with the value that the handler returns: here, the correct password.
  return { password = "Wonderland-1" }
end)

local function sign_in(username, password)
  return accounts.sign_in { agent = "headless", username = username, password = password }
end

print "Alice signs in, with a wrong password first"
local alice = sign_in("alice", "Looking-Glass-1")

print "She imports her tasks"
local folder = args[0]:match("^(.*)/") or "."
local report = tasks.import(folder .. "/data/tasks.csv", {
  concurrency = 16,
  map = function(row) return { text = row.Text } end,
})
say("  %d of %d rows added, %d failed, in %.2f s", report.added, report.total, report.failed, report.seconds)

local mine = tasks.list()
say("  %d tasks on the server, among them:", #mine)
-- The tasks are sorted, because many are added at once and their order varies between runs.
table.sort(mine, function(one, other) return one.text < other.text end)
for _, i in ipairs { 1, 250, 500, 750, 1000 } do
  say("  %6d  %s", i, (mine[i].text:gsub("%s*\n%s*", " / ")))
end

print "She signs out, and Bob signs in"
accounts.sign_out(alice)
local bob = sign_in("bob", "Skyscraper-2")
say("  he sees %d tasks", #tasks.list())
tasks.add "Water the plants on the 21st floor"
say("  he adds one and sees %d", #tasks.list())

print "Alice is back"
accounts.sign_out(bob)
sign_in("alice", "Wonderland-1")
say("  all her %d tasks are there", #tasks.list())
