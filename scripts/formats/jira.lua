-- Jira's issues, as "Export CSV (all fields)" writes them (facts of November 2026). Columns such as Labels and Comment are there once for each value.
-- The parent is the number of an issue, or in newer ones its key.

local apps = require "formats.apps"

local priorities = apps.words { highest = 1, high = 3, medium = 5, low = 7, lowest = 9, blocker = 1, critical = 1, major = 3, minor = 7, trivial = 9 }
local done = apps.words { done = true, closed = true, resolved = true }

--- The day of a due date: Jira writes its midnight.
local function day(value) return value and (value:gsub("T00:00:00$", "")) end

local function convert(row, out)
  out.rows, out.keys = out.rows or {}, out.keys or {}
  local lost, comments = {}, {}
  apps.lose(lost, "assignee", apps.text(row.Assignee))
  for _, comment in ipairs(apps.repeated(row, "Comment")) do comments[#comments + 1] = comment:match "^[^;]*;[^;]*;(.*)$" or comment end
  local key, id = apps.text(row["Issue key"]), apps.text(row["Issue id"])
  if id then out.keys[id] = key or id end
  local resolution, resolved = apps.text(row.Resolution), apps.text(row.Resolved)
  local completed = done(row.Status) or resolved ~= nil or resolution ~= nil and resolution:lower() ~= "unresolved"
  table.insert(out.rows, { {
    text = apps.text(row.Summary), notes = apps.join(row.Description, table.unpack(comments)), completed = completed, completed_at = completed and resolved or nil,
    due = day(apps.column(row, "Due date", "Due Date")), priority = priorities(row.Priority), labels = apps.repeated(row, "Labels"),
    list = apps.text(row["Project name"]), source_id = key or id, parent = apps.column(row, "Parent", "Parent id", "Parent key"),
  }, lost, out.line })
end

local function finish(out)
  for _, row in ipairs(out.rows or {}) do
    row[1].parent = out.keys and out.keys[row[1].parent] or row[1].parent
    out.line = row[3]
    out.add(row[1], row[2])
  end
end

return { rows = apps.table(convert, { "Due date", "Due Date", "Resolved" }, finish) }
