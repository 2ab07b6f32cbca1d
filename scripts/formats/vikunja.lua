-- Vikunja's export of a user's data: a zip with data.json (facts of November 2026). The project is the list.

local apps = require "formats.apps"

local priorities = { 9, 5, 3, 2, 1 }

--- A time; the year 1 means none.
local function time(value)
  local written = apps.text(value)
  return written and not written:find "^0001%-" and written or nil
end

--- The rule of an interval in seconds, and the reason if it has none.
local function rule(task)
  local seconds = math.tointeger(tonumber(task.repeat_after)) or 0
  if math.tointeger(task.repeat_mode) == 1 then return "FREQ=MONTHLY" end
  if seconds <= 0 then return nil end
  local note = math.tointeger(task.repeat_mode) == 2 and "the task repeats from the day of its completion; rules of RFC 5545 repeat from its date" or nil
  for _, unit in ipairs { { 604800, "WEEKLY" }, { 86400, "DAILY" }, { 3600, "HOURLY" } } do
    if seconds % unit[1] == 0 then
      local interval = seconds // unit[1]
      return "FREQ=" .. unit[2] .. (interval > 1 and ";INTERVAL=" .. interval or ""), note
    end
  end
  return nil, ("the task repeats after %d seconds, which no rule says"):format(seconds)
end

local function add(task, project, parents, out)
  local recurrence, problem = rule(task)
  local lost = { recurrence = problem }
  apps.lose(lost, "assignee", apps.text(apps.names(task.assignees, "username")[1]))
  local done = task.done == true
  out.add({
    text = apps.text(task.title), notes = apps.plain_html(apps.text(task.description)), completed = done, completed_at = done and time(task.done_at) or nil,
    due = time(task.due_date), start = time(task.start_date), priority = priorities[math.tointeger(task.priority)], labels = apps.names(task.labels, "title"),
    list = project, recurrence = recurrence, source_id = apps.text(task.id), parent = parents[task.id],
  }, lost)
end

return { rows = apps.whole(function(source, out)
  local projects = source:json { part = #source:parts() > 0 and "data.json" or nil }
  local parents = {}
  for _, project in ipairs(projects) do
    for _, task in ipairs(apps.object(project.tasks)) do
      local related = apps.object(task.related_tasks)
      for _, parent in ipairs(apps.object(related.parenttask)) do parents[task.id] = apps.text(parent.id) end
      for _, child in ipairs(apps.object(related.subtask)) do parents[child.id] = parents[child.id] or apps.text(task.id) end
    end
  end
  for _, project in ipairs(projects) do
    for _, task in ipairs(apps.object(project.tasks)) do add(task, apps.text(project.title), parents, out) end
  end
end) }
