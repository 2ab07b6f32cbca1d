-- Tasks as programs write them (Corpus/README.md): read from files, listed, changed and synchronized at a real server:
-- corpus.lua SERVICE, run by with_server.py. Nothing that the program does not know may be lost.

local b2c = require "b2c"
local http, tasks = b2c.http, b2c.tasks
local url = os.getenv "SERVICE_URL"
local service = { name = "caldav", url = url, username = "alice" }
local auth = { username = "alice", password = b2c.secrets.get "caldav" }
local folder = b2c.args[0]:match "^(.*/)" .. "Corpus/"

local berlin = "2027-07-15T12:00:00[Europe/Berlin]"
-- The due time of each, whether it is done, and a field more. `clock` is the same clock the day after.
local programs = {
  ["apple-reminders"] = { due = berlin, start = berlin, priority = 1, zone = "Europe/Berlin" },
  ["apple-done"] = { due = "2026-10-16", completed = true, completed_at = "2026-10-16T02:03:42Z" },
  ["apple-fixed"] = { due = "2027-07-15T11:00:00Z", zone = "GMT+0100" },
  nextcloud = { due = "2027-07-15T12:34:00", start = "2027-07-14", priority = 9, notes = "for six\nby the window", labels = "food|friends", parent = "pwen4kz18g" },
  ["nextcloud-done"] = { completed = true, completed_at = "2026-10-02T08:15:57" },
  thunderbird = { due = berlin, start = "2027-07-12T09:00:00[Europe/Berlin]", labels = "q1|reports|work", recurrence = "FREQ=WEEKLY", zone = "Europe/Berlin" },
  ["lightning-old"] = { due = berlin, zone = "/mozilla.org/20050126_1/Europe/Berlin" },
  evolution = { due = berlin, zone = "/freeassociation.sourceforge.net/Europe/Berlin" },
  korganizer = { due = berlin, start = "2027-07-15T11:00:00[Europe/Berlin]", priority = 5, completed = true, zone = "Europe/Berlin" },
  ["tasks-org"] = { due = "2027-07-15T12:00:01[Europe/Berlin]", start = "2027-07-14T09:00:00[Europe/Berlin]", priority = 9, labels = "home|money", recurrence = "FREQ=MONTHLY", parent = "9999999", zone = "Europe/Berlin" },
  ["jtx-board"] = { due = berlin, zone = "Europe/Berlin" },
  davmail = { due = berlin, priority = 1, zone = "W. Europe Standard Time" },
  ["outlook-custom"] = { due = "2027-07-15T10:00:00Z", lost = true, zone = "Customized Time Zone" },
  ["outlook-shown"] = { due = berlin, zone = "(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna" },
  zimbra = { due = berlin, zone = "Europe/Berlin" },
  ["google-like"] = { due = "2027-07-15" },
  ["2do"] = { due = "2027-07-15T10:00:00Z", priority = 1 },
  vikunja = { due = "2027-07-15T10:00:00Z", priority = 3, completed = true, completed_at = "2026-10-02T08:15:57Z" },
}

local function equal(got, expected, what)
  if got ~= expected then error(("%s: got %s, expected %s"):format(what, tostring(got), tostring(expected)), 2) end
end

local function check(task, expected, what)
  for _, field in ipairs { "due", "start", "priority", "notes", "recurrence" } do equal(task[field], expected[field], what .. ": " .. field) end
  if expected.completed_at then equal(task.completed_at, expected.completed_at, what .. ": completed_at") end
  equal(task.completed, expected.completed == true, what .. ": completed")
  local labels = task.labels or {}
  table.sort(labels)
  equal(table.concat(labels, "|"), expected.labels or "", what .. ": labels")
end

--- The unfolded lines of a calendar, sorted: servers write them in another order.
local function lines(text, leave_out)
  local all = {}
  for line in text:gsub("\r\n[ \t]", ""):gmatch "[^\r\n]+" do
    if not line:find(leave_out or "^$") then all[#all + 1] = line:gsub('="([^":;,]*)"', "=%1") end
  end
  table.sort(all)
  return table.concat(all, "\n")
end

local list = tasks.lists { service = service }[1].id
local names = {}
for name in pairs(programs) do names[#names + 1] = name end
table.sort(names)

-- The files, read and written.
b2c.tenant.sign_in()
for _, name in ipairs(names) do
  local expected = programs[name]
  local report = tasks.import(folder .. name .. ".ics", { journal = false })
  equal(report.added, 1, name .. ": added")
  equal(report.lost.due, expected.lost and 1 or nil, name .. ": lost")
  local task
  for one in tasks.each() do task = one end
  check(task, expected, name .. " from its file")
  tasks.remove(task)
  if expected.lost then
    local ok, problem = pcall(tasks.import, folder .. name .. ".ics", { journal = false, strict = true })
    assert(not ok and problem.message:find("time zone 'Customized Time Zone' has no name", 1, true), tostring(problem))
    equal(#tasks.list(), 0, name .. ": tasks after a strict import")
  end
end

-- The same at a server, as the program put them there.
for _, name in ipairs(names) do
  local expected, file = programs[name], assert(io.open(folder .. name .. ".ics"))
  local text = file:read "a"
  file:close()
  local address = list .. name .. ".ics"
  http.put(address, { body = text, headers = { ["Content-Type"] = "text/calendar; charset=utf-8" }, auth = auth })
  local task = tasks.get(address, { service = service })
  check(task, expected, name .. " at the server")
  equal(task.parent, expected.parent, name .. ": parent")

  -- A change of the notes leaves all else as it was, and one to the same time the time.
  local notes = "^DESCRIPTION:[cf]"
  local before = lines(http.get(address, { auth = auth }).body, notes)
  task = tasks.update(task, { notes = "changed by us", due = task.due, start = task.start }, { service = service })
  local now = http.get(address, { auth = auth }).body
  local function plain(text) return (text:gsub("[^\n]*LAST%-MODIFIED[^\n]*\n?", ""):gsub("SEQUENCE:%d+\n?", "")) end
  equal(plain(lines(now, notes)), plain(before), name .. ": the other properties after a change")

  -- The clock of the next day, without a zone and as an instant: the zone stays.
  if expected.zone then
    local zoned = berlin == expected.due or expected.due:find "Europe/Berlin"
    local clock = expected.due:match "T(%d%d:%d%d:%d%d)"
    for _, due in ipairs { zoned and "2027-07-16T" .. clock or "2027-07-16T12:00:00", zoned and "2027-12-01T11:30:00Z" or "2027-12-01T11:30:00Z" } do
      task = tasks.update(task, { due = due }, { service = service })
      now = lines(http.get(address, { auth = auth }).body)
      local line = now:match "DUE[^\n]*"
      assert(line:find(expected.zone, 1, true), name .. ": the zone is gone: " .. line)
      if due:sub(-1) == "Z" then equal(tasks.moment(task.due).utc, due, name .. ": the instant") end
      local _, count = now:gsub("BEGIN:VTIMEZONE", "")
      equal(count, 1, name .. ": definitions of zones")
    end
  end
end

-- A time in a zone gets the definition of the zone, and another zone another one.
local made = tasks.add({ text = "of ours", due = berlin, start = "2027-07-15T06:00:00[America/New_York]", recurrence = "FREQ=WEEKLY" }, { service = service })
local text = lines(http.get(made.id, { auth = auth }).body)
for _, part in ipairs { "DUE;TZID=Europe/Berlin:20270715T120000", "DTSTART;TZID=America/New_York:20270715T060000", "TZID:Europe/Berlin",
  "TZID:America/New_York", "BYDAY=%-1SU" } do
  assert(text:find(part), part .. " is not in " .. text)
end
assert(not text:find("X-B2C", 1, true), text)
made = tasks.update(made.id, { due = "2027-07-15T12:00[Asia/Tokyo]" }, { service = service })
equal(made.due, "2027-07-15T12:00:00[Asia/Tokyo]", "another zone")
assert(http.get(made.id, { auth = auth }).body:find("TZID:Asia/Tokyo", 1, true))
-- The second of two equal times.
made = tasks.update(made.id, { due = "2027-10-31T02:30:00+01:00[Europe/Berlin]" }, { service = service })
equal(tasks.get(made.id, { service = service }).due, "2027-10-31T02:30:00+01:00[Europe/Berlin]", "the second time")
equal(tasks.update(made.id, { due = "2027-11-01T09:00" }, { service = service }).due, "2027-11-01T09:00:00[Europe/Berlin]", "the day after")

print "all hold"
