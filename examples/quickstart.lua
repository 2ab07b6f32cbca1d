-- The whole story in one script: sign in, import a thousand tasks, list them, switch users.
--
--   b2c-run --local examples/quickstart.lua
--
-- --local starts a tenant on this machine, with the users alice and bob. For a tenant of your own, write a
-- settings.plist, leave --local out, and sign in with agent = "terminal" instead of user name and password.

local b2c = require "b2c"
local accounts, tasks, args = b2c.accounts, b2c.tasks, b2c.args

local function say(...) print(string.format(...)) end

-- Both handlers are in place before anything happens, and hear everything once.
accounts.on_changed(function(change)
  say("  %-8s %s, by %s", change.kind, change.account.name, change.reason)
end)

accounts.on_failed(function(failure)
  say("  failed   attempt %d: %s", failure.attempt, failure.error.message)
  say("           code %s; hint: %s", failure.error.code, failure.error.hint)
  -- What a handler returns, the sign-in goes on with: here, the right password.
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
-- In the order of the alphabet: many are added at once, and which one is first may be another each time.
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
