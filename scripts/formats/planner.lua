-- Microsoft Planner's plan, as "Export plan to Excel" writes it (xlsx, sheet Tasks; facts of November 2026). Older ones have lines about the
-- plan above the header. The bucket is the list; the items of the checklist are subtasks.

local apps = require "formats.apps"

local priorities = apps.words { urgent = 1, important = 3, medium = 5, low = 9 }

--- The items of a checklist. The second column has the names of those that are done, or only their number: 1/3.
local function items(row, lost)
  local found, done = apps.split(row["Checklist Items"], ";"), {}
  local finished = apps.text(row["Completed Checklist Items"])
  local count, total = (finished or ""):match "^(%d+)/(%d+)$"
  for _, name in ipairs(apps.split(finished, ";")) do done[name] = true end
  if count and tonumber(count) > 0 and count ~= total then
    lost.subtasks = ("%s items of the checklist are done, and the file does not say which"):format(finished)
  end
  for i, name in ipairs(found) do found[i] = { text = name, completed = done[name] or count ~= nil and count == total and count ~= "0" } end
  return found
end

local function convert(row, out)
  local lost = {}
  apps.lose(lost, "assignee", apps.text(row["Assigned To"]))
  if (apps.text(row["Is Recurring"]) or ""):lower() == "true" then lost.recurrence = "the file does not say how the task repeats" end
  local completed_at = apps.column(row, "Completed Date", "Completed date")
  local checklist = items(row, lost)
  local task = out.add({
    text = apps.text(row["Task Name"]), notes = apps.text(row.Description), completed = (apps.text(row.Progress) or ""):lower() == "completed" or completed_at ~= nil,
    completed_at = completed_at, due = apps.column(row, "Due date", "Due Date"), start = apps.column(row, "Start date", "Start Date"),
    priority = priorities(row.Priority), labels = apps.split(row.Labels, ";"), list = apps.text(row["Bucket Name"]), source_id = apps.text(row["Task ID"]),
  }, lost)
  if task then out.items(task, checklist) end
end

return { rows = apps.table(convert, { "Start date", "Start Date", "Due date", "Due Date", "Completed Date", "Completed date" }) }
