-- Microsoft To Do as JSON of Microsoft Graph, and lists { displayName, tasks } of other exporters; To Do itself exports nothing (facts
-- of November 2026). A due date is a day, written as its midnight in a time zone.

local apps = require "formats.apps"

local priorities = { high = 1, low = 9 }
local days = { sunday = "SU", monday = "MO", tuesday = "TU", wednesday = "WE", thursday = "TH", friday = "FR", saturday = "SA" }
local positions = { first = "1", second = "2", third = "3", fourth = "4", last = "-1" }

--- The day of a dateTimeTimeZone: its midnight, in the zone itself or as an instant of it.
local function day(value)
  value = apps.object(value)
  return apps.day(apps.text(value.dateTime))
end

local function instant(value)
  value = apps.object(value)
  local written = apps.text(value.dateTime)
  return written and (apps.in_zone(written:gsub("%.%d+", ""), apps.text(value.timeZone) or "UTC"))
end

--- The rule of RFC 5545 of a pattern; nil if it has none.
local function rule(recurrence)
  local pattern, range = apps.object(apps.object(recurrence).pattern), apps.object(apps.object(recurrence).range)
  local kind, parts = pattern.type, {}
  local frequency = ({ daily = "DAILY", weekly = "WEEKLY", absoluteMonthly = "MONTHLY", relativeMonthly = "MONTHLY", absoluteYearly = "YEARLY",
    relativeYearly = "YEARLY" })[kind]
  if not frequency then return nil end
  local function put(name, value) parts[#parts + 1] = name .. "=" .. value end
  put("FREQ", frequency)
  if (tonumber(pattern.interval) or 1) > 1 then put("INTERVAL", math.tointeger(pattern.interval)) end
  local names = {}
  for _, name in ipairs(apps.object(pattern.daysOfWeek)) do
    names[#names + 1] = (kind:find "^relative" and (positions[pattern.index or "first"] or "1") or "") .. (days[tostring(name):lower()] or "")
  end
  if kind:find "Yearly$" and math.tointeger(pattern.month) then put("BYMONTH", math.tointeger(pattern.month)) end
  if #names > 0 and kind ~= "daily" then put("BYDAY", table.concat(names, ",")) end
  if kind:find "^absolute" and math.tointeger(pattern.dayOfMonth) and pattern.dayOfMonth > 0 then put("BYMONTHDAY", math.tointeger(pattern.dayOfMonth)) end
  if range.type == "numbered" then put("COUNT", math.tointeger(range.numberOfOccurrences)) end
  if range.type == "endDate" and apps.text(range.endDate) then put("UNTIL", (range.endDate:sub(1, 10):gsub("-", ""))) end
  return table.concat(parts, ";")
end

local function add(task, list, out)
  local body, lost = apps.object(task.body), {}
  local notes = apps.text(body.content)
  if body.contentType == "html" and notes then
    lost.notes = "the notes are HTML; only their text is kept"
    notes = apps.plain_html(notes)
  end
  local recurrence = rule(task.recurrence)
  if task.recurrence and not recurrence then lost.recurrence = "this pattern has no rule of RFC 5545" end
  local items = {}
  for i, item in ipairs(apps.object(task.checklistItems)) do
    items[i] = { id = item.id, text = item.displayName, completed = item.isChecked == true, completed_at = item.isChecked == true and apps.text(item.checkedDateTime) or nil }
  end
  local done = task.status == "completed"
  local made = out.add({
    text = apps.text(task.title), notes = notes, completed = done, completed_at = done and instant(task.completedDateTime) or nil,
    due = day(task.dueDateTime), start = day(task.startDateTime), priority = priorities[task.importance],
    labels = apps.strings(task.categories), list = list, recurrence = recurrence, source_id = task.id,
  }, lost)
  if made then out.items(made, items) end
end

return { rows = apps.json(function(document, out)
  for _, one in ipairs(document.value or document) do
    if one.tasks or one.displayName and not one.title then
      for _, task in ipairs(apps.object(one.tasks)) do add(task, apps.text(one.displayName), out) end
    else
      add(one, nil, out)
    end
  end
end) }
