-- Days of Microsoft To Do: an instant in Graph, the midnight of the mailbox's time zone: microsoft_days.lua, run by with_server.py.

local b2c = require "b2c"
local http, tasks = b2c.http, b2c.tasks
local url = os.getenv "SERVICE_URL"

local function equal(got, expected, what)
  if got ~= expected then error(("%s: got %s, expected %s"):format(what, tostring(got), tostring(expected)), 2) end
end
local function at(options)
  local service = { name = "microsoft", url = url }
  for name, value in pairs(options or {}) do service[name] = value end
  return { service = service }
end
--- The instant in UTC of a task, as Graph has it.
local function kept(id)
  local answer = http.get(url .. "/me/todo/lists/l1/tasks/" .. id:gsub("=", "%%3D"), { auth = { bearer = b2c.secrets.get "microsoft" } })
  return answer.json().dueDateTime.dateTime:sub(1, 19)
end

local zones = {
  { "W. Europe Standard Time", "Europe/Berlin" }, { "Tokyo Standard Time", "Asia/Tokyo" }, { "New Zealand Standard Time", "Pacific/Auckland" },
  { "Pacific Standard Time", "America/Los_Angeles" }, { "Nepal Standard Time", "Asia/Kathmandu" }, { "GMT Standard Time", "Europe/London" },
  { "UTC", "Etc/UTC" }, { "Europe/Athens", "Europe/Athens" },
}
for index, zone in ipairs(zones) do
  for _, tells in ipairs { true, false } do
    http.post(url .. "/_control", { json = { zone = zone, tells_zone = tells } })
    -- Another address makes the host open the service anew.
    local options = at { url = url .. ("/"):rep(2 * index + (tells and 1 or 0)) }
    local name = zone[1] .. (tells and "" or ", not told")
    -- Winter and summer, and the days of the changes of the clocks.
    for _, day in ipairs { "2027-01-31", "2027-07-15", "2027-03-28", "2027-10-31" } do
      -- Without the zone, the day of a mailbox west of Greenwich cannot be written for sure.
      if tells or not zone[2]:find "America" then
        local made = tasks.add({ text = day, due = day }, options)
        equal(made.due, day, name .. ": added")
        equal(tasks.get(made.id, options).due, day, name .. ": read")
        equal(tasks.moment(kept(made.id) .. "Z", zone[2]).time, "00:00:00", name .. ": midnight of the mailbox")
        equal(tasks.update(made.id, { due = "2027-08-01", notes = "n" }, options).due, "2027-08-01", name .. ": changed")
        tasks.remove(made.id, options)
      end
    end
  end
end

-- The option of the settings, by both kinds of names.
http.post(url .. "/_control", { json = { zone = { "Pacific Standard Time", "America/Los_Angeles" }, tells_zone = false } })
for _, zone in ipairs { "America/Los_Angeles", "Pacific Standard Time" } do
  equal(tasks.add({ text = zone, due = "2027-01-31" }, at { zone = zone }).due, "2027-01-31", zone)
end
local ok, problem = pcall(tasks.add, { text = "a", due = "2027-01-31" }, at { zone = "Nowhere" })
assert(not ok and problem.message:find("there is no time zone 'Nowhere'", 1, true), tostring(problem))

print "all hold"
