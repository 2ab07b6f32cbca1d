-- Notion's database as CSV, alone or in the zip of "Markdown & CSV" (facts of November 2026). The zip has each table twice: as the view shows it, and
-- with all rows (_all.csv), which is taken. The columns are the person's; their usual names say the fields, and the first column is the title.

local apps = require "formats.apps"

local names = {
  due = { "Due", "Due Date", "Due date", "Deadline", "Date", "Do date", "When", "Fällig", "Fällig am", "Datum" }, start = { "Start", "Start Date", "Start date" },
  completed = { "Done", "Completed", "Complete", "Checkbox", "Finished", "Erledigt" }, status = { "Status", "State" },
  completed_at = { "Completed At", "Completed at", "Completed on", "Completed Date" }, priority = { "Priority", "Priorität" },
  labels = { "Tags", "Labels", "Multi-select", "Tag", "Category" }, notes = { "Notes", "Description", "Notizen" }, url = { "URL", "Link" },
  parent = { "Parent item", "Parent task", "Parent" },
}

local priorities = apps.words { urgent = 1, highest = 1, high = 1, medium = 5, normal = 5, low = 9, lowest = 9, hoch = 1, mittel = 5, niedrig = 9 }
local done = apps.words { done = true, completed = true, complete = true, finished = true, closed = true, archived = true, erledigt = true }

--- The texts of relations: Title (https://www.notion.so/…).
local function relation(value)
  if not value then return nil end
  return (value:gsub("%s*%(https?://[^)]*%)", ""):gsub("%s*%([^()]*%.md%)", ""))
end

--- The first cell of the header.
local function first_column(source, part)
  local line = source:lines { part = part }() or ""
  line = line:gsub("^\xef\xbb\xbf", "")
  return line:match '^"(.-)"' or line:match "^([^,;\t]*)"
end

local function read(source, part, out)
  local title = first_column(source, part)
  local list = apps.stem(part or source.path):gsub("_all$", ""):gsub(" %x+$", "")
  local rows, ids = {}, {}
  for row, line in source:rows { part = part } do
    row = apps.row(row, out)
    local function cell(field) return apps.column(row, table.unpack(names[field])) end
    local lost = {}
    local function date(field)
      local value = cell(field)
      local read = value and source:date(value)
      if value and not read then lost[field] = ("'%s' cannot be read as a date"):format(value) end
      return read
    end
    local from, to = (cell "due" or ""):match "^(.-)%s*→%s*(.-)$"
    local due, start
    if from then due, start = source:date(to), source:date(from) else due, start = date "due", date "start" end
    local text, status = apps.text(row[title]), cell "status"
    local id = ("%s/%d"):format(list, #rows + 1)
    if text and not ids[text] then ids[text] = id end
    local task = {
      text = text, notes = cell "notes", completed = apps.yes(cell "completed") or done(status), completed_at = date "completed_at", due = due, start = start,
      priority = priorities(cell "priority"), labels = apps.split(relation(cell "labels"), ","), list = list, url = cell "url", source_id = id,
      parent = relation(cell "parent"),
    }
    if cell "priority" and not task.priority then lost.priority = ("'%s' is an unknown priority"):format(cell "priority") end
    rows[#rows + 1] = { task, lost, line }
  end
  for _, row in ipairs(rows) do
    local task, lost = row[1], row[2]
    if task.parent and not ids[task.parent] then lost.parent = ("no row is called '%s'"):format(task.parent) end
    task.parent, out.line = ids[task.parent], row[3]
    out.add(task, lost)
  end
end

return { rows = apps.whole(function(source, out)
  local parts, all = source:parts(), {}
  if #parts == 0 then return read(source, nil, out) end
  for _, part in ipairs(parts) do all[part] = true end
  local count = 0
  for _, part in ipairs(parts) do
    if part:find "%.csv$" and not all[part:gsub("%.csv$", "_all.csv")] then
      count = count + 1
      read(source, part, out)
    elseif part:find "%.zip$" then
      apps.refuse(source, ("it is a Notion export in parts, and has \"%s\""):format(part), "nothing was sent: unpack it, and import each of its parts")
    elseif part:find "%.md$" then
      out.skip "page of text" 
    end
  end
  if count == 0 then apps.refuse(source, "it is a Notion export without a database", "nothing was sent: export the page of the database as Markdown & CSV") end
end) }
