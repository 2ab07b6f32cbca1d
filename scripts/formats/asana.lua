-- Asana's project as CSV, and as JSON of its API (facts of November 2026). CSV has the parent's name, which may be that of several tasks and
-- of a task further below. The project is the list.

local apps = require "formats.apps"

--- The tasks by name, in their order.
local function by_name(tasks)
  local found = {}
  for position, task in ipairs(tasks) do
    local name = task[1].text or ""
    found[name] = found[name] or {}
    table.insert(found[name], position)
  end
  return found
end

--- The position of the parent: the last task of that name above, else the first one below.
local function parent_of(position, positions)
  local best
  for _, one in ipairs(positions or {}) do
    if one < position or not best and one > position then best = one end
  end
  return best
end

local function convert(row, out)
  out.rows = out.rows or {}
  local lost = {}
  apps.lose(lost, "assignee", apps.text(row.Assignee))
  apps.lose(lost, "section", apps.text(row["Section/Column"]))
  apps.lose(lost, "dependencies", apps.column(row, "Blocked By (Dependencies)", "Blocked By"))
  local projects, completed_at = apps.split(row.Projects, ","), apps.text(row["Completed At"])
  if #projects > 1 then lost.list = "the task is also in other projects: " .. table.concat(projects, ", ", 2) end
  local task = {
    text = apps.text(row.Name), notes = apps.text(row.Notes), completed = completed_at ~= nil, completed_at = completed_at, due = apps.text(row["Due Date"]),
    start = apps.text(row["Start Date"]), labels = apps.split(row.Tags, ","), list = projects[1], source_id = apps.text(row["Task ID"]),
  }
  -- Excel rounds such numbers: 1.2E+15.
  if task.source_id and task.source_id:find "[Ee.,]" then out.has_no_ids = true end
  table.insert(out.rows, { task, lost, out.line, apps.column(row, "Parent task", "Parent Task") })
end

local function finish(out)
  local rows = out.rows or {}
  local names = by_name(rows)
  for position, row in ipairs(rows) do
    if out.has_no_ids or not row[1].source_id then row[1].source_id = ("row %d"):format(position) end
  end
  for position, row in ipairs(rows) do
    local task, lost, line, name = table.unpack(row, 1, 4)
    local parent = name and parent_of(position, names[name])
    if parent then
      task.parent = rows[parent][1].source_id
      -- Subtasks have the project of their parent.
      task.list = task.list or rows[parent][1].list
      if #names[name] > 1 then lost.parent = ("%d tasks are called '%s'; the last one above is taken"):format(#names[name], name) end
    elseif name then
      lost.parent = ("no task is called '%s'"):format(name)
    end
    out.line = line
    out.add(task, lost)
  end
end

local function add(task, out, parent, list)
  local memberships, lost = apps.object(task.memberships), {}
  local first = apps.object(memberships[1])
  list = apps.text(apps.object(first.project).name) or list
  apps.lose(lost, "section", apps.text(apps.object(first.section).name))
  apps.lose(lost, "assignee", apps.text(apps.object(task.assignee).name))
  out.add({
    text = apps.text(task.name), notes = apps.text(task.notes), completed = task.completed == true, completed_at = apps.text(task.completed_at),
    due = apps.text(task.due_at) or apps.text(task.due_on), start = apps.text(task.start_at) or apps.text(task.start_on), labels = apps.names(task.tags, "name"),
    list = list, url = apps.text(task.permalink_url), source_id = task.gid, parent = apps.text(apps.object(task.parent).gid) or parent,
  }, lost)
  for _, subtask in ipairs(apps.object(task.subtasks)) do add(subtask, out, task.gid, list) end
end

local csv = apps.table(convert, { "Start Date", "Due Date", "Completed At" }, finish)
local json = apps.json(function(document, out)
  for _, task in ipairs(apps.object(document.data)) do add(task, out) end
end)

return { rows = function(source) return (source.kind == "json" and json or csv)(source) end }
