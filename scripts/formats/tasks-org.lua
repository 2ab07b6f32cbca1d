-- Tasks.org's backup (JSON; facts of November 2026). Times are milliseconds since 1970. A due date with a time has a number of seconds over 0
-- in its minute; a day is its noon in the zone of the phone, which the file does not name.

local apps = require "formats.apps"

local priorities = { [0] = 1, [1] = 5, [2] = 9 }

--- A day or an instant; nil for 0.
local function time(milliseconds, is_start)
  local seconds = (math.tointeger(tonumber(milliseconds)) or 0) // 1000
  if seconds <= 0 then return nil end
  if seconds % 60 > 0 then return os.date("!%Y-%m-%dT%H:%M:00Z", seconds) end
  local hour = seconds % 86400 // 3600
  -- Some versions write a start as midnight: the nearest one in UTC is of the same day, as is noon.
  if is_start and (hour < 9 or hour > 21) then seconds = seconds + 43200 end
  return os.date("!%Y-%m-%d", seconds)
end

--- The name of the list, the ID in it, and that of the parent.
local function place(entry, calendars)
  local caldav, google = apps.object(entry.caldavTasks)[1], apps.object(entry.google)[1]
  if caldav then return calendars[caldav.calendar], apps.text(caldav.remoteId), apps.text(caldav.remoteParent) end
  if google then return calendars[google.listId], apps.text(google.remoteId), apps.text(google.parent) end
end

return { rows = apps.json(function(document, out)
  local data, calendars = apps.object(document.data), {}
  for _, calendar in ipairs(apps.object(data.caldavCalendars)) do calendars[calendar.uuid or ""] = apps.text(calendar.name) end
  for _, list in ipairs(apps.object(data.googleTaskLists)) do calendars[list.remoteId or ""] = apps.text(list.title) end
  for _, entry in ipairs(apps.object(data.tasks)) do
    local task = apps.object(entry.task)
    if (tonumber(task.deletionDate) or 0) > 0 then
      out.skip "deleted task"
    else
      local list, id, parent = place(entry, calendars)
      local completed_at = apps.instant((tonumber(task.completionDate) or 0) // 1, 1000)
      local rule, lost = apps.text(task.recurrence), {}
      if #apps.object(entry.alarms) > 0 then lost.reminder = "tasks have no reminders" end
      local notes = apps.join(task.notes, table.unpack(apps.names(entry.comments, "message")))
      out.add({
        text = apps.text(task.title), notes = notes, completed = completed_at ~= nil, completed_at = completed_at, due = time(task.dueDate),
        start = time(task.hideUntil, true), priority = priorities[math.tointeger(task.priority or 0)], labels = apps.names(entry.tags, "name"), list = list,
        recurrence = rule and (rule:gsub("^RRULE:", "")), source_id = id or apps.text(task.remoteId), parent = parent,
      }, lost)
    end
  end
end) }
