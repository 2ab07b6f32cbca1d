-- TickTick's backup, as TickTick 7.1 and 7.2 write it (CSV; facts of November 2026). Older ones have no column Kind.
-- Days are instants: midnight in the time zone of the row. The items of checklists become subtasks.

local apps = require "formats.apps"

local priorities = { ["1"] = 9, ["3"] = 5, ["5"] = 1 }

--- The time of a row: with "Is All Day", the day in its zone.
local function time(row, name)
  local written = apps.text(row[name])
  if not written then return nil end
  if apps.yes(row["Is All Day"]) then return apps.day_in(written, apps.text(row.Timezone)) end
  return (written:gsub("%+00:00$", "Z"))
end

--- The items of a checklist: lines that begin with ▫ or ▪.
local function items(content)
  local found, rest = {}, {}
  for line in (content or ""):gmatch "[^\r\n]+" do
    local item = line:match "^▫%s*(.*)$"
    local done = line:match "^▪%s*(.*)$"
    if item or done then found[#found + 1] = { text = item or done, completed = done ~= nil } else rest[#rest + 1] = line end
  end
  return found, table.concat(rest, "\n")
end

local function convert(row, out)
  if row.Kind == "NOTE" then return out.skip "note" end
  if not apps.text(row.Title) and not apps.text(row.Content) then return out.skip("row without a text", "rows without a text") end
  local checklist, notes = {}, row.Content
  if row.Kind == "CHECKLIST" or row["Is Check list"] == "Y" then checklist, notes = items(row.Content) end
  local lost = {}
  local due, problem = time(row, "Due Date")
  local start = time(row, "Start Date")
  lost.due = problem
  apps.lose(lost, "reminder", apps.text(row.Reminder))
  -- Without a start, the start repeats the due date.
  if start == due then start = nil end
  local rule = apps.text(row.Repeat)
  local recurrence = rule and rule:gsub("^RRULE:", "")
  if rule and not recurrence:find "^FREQ=" and not recurrence:find ";FREQ=" then
    notes, lost.recurrence, recurrence = apps.join(notes, "Repeats: " .. rule), ("'%s' is not a rule of RFC 5545; it is in the notes"):format(rule), nil
  end
  local status = math.tointeger(tonumber(row.Status)) or 0
  if status == -1 then notes = apps.join(notes, "Won't do") end
  local task = out.add({
    text = apps.text(row.Title), notes = apps.text(notes), completed = status ~= 0, completed_at = status ~= 0 and apps.text(row["Completed Time"]) or nil,
    due = due, start = start, priority = priorities[row.Priority], labels = apps.split(row.Tags, ","), list = apps.text(row["List Name"]),
    recurrence = recurrence, source_id = apps.text(row.taskId), parent = apps.text(row.parentId),
  }, lost)
  if task then out.items(task, checklist) end
end

return { rows = apps.table(convert, { "Start Date", "Due Date", "Completed Time" }) }
