-- OmniFocus as CSV (in UTF-16 or UTF-8), and as TaskPaper (facts of November 2026). The IDs of CSV say the parent: that of 1.2.1 is 1.2. A project is
-- the list of its actions, and no task.

local apps = require "formats.apps"

local done = apps.words { completed = true, done = true, dropped = true }

local function convert(row, out)
  out.projects = out.projects or {}
  local id, name = apps.text(row["Task ID"]), apps.text(row.Name)
  if (apps.text(row.Type) or ""):lower() == "project" then
    if id then out.projects[id] = name end
    return out.skip "project"
  end
  local lost, completed_at = {}, apps.text(row["Completion Date"])
  apps.lose(lost, "duration", apps.text(row.Duration))
  local labels = apps.split(row.Tags, ",")
  if #labels == 0 then labels = apps.split(row.Context, ",") end
  local above = id and id:match "^(.*)%.[^.]*$"
  out.add({
    text = name, notes = apps.text(row.Notes), completed = completed_at ~= nil or done(row.Status), completed_at = completed_at,
    due = apps.text(row["Due Date"]), start = apps.column(row, "Start Date", "Defer Date"), priority = apps.yes(row.Flagged) and 1 or nil, labels = labels,
    list = apps.text(row.Project) or above and out.projects[above:match "^[^.]*"], source_id = id,
    parent = above and not out.projects[above] and above or nil,
  }, lost)
end

--- The text of a line without its tags, and the tags.
local function tags(line)
  local found = {}
  local plain = line:gsub("%s@([%w-]+)(%b())", function(name, value) found[name] = value:sub(2, -2) return "" end)
  plain = plain:gsub("%s@([%w-]+)", function(name) found[name] = found[name] or "" return "" end)
  return apps.text(plain), found
end

local function task_of(line, source)
  local text, found = tags(line)
  local lost, labels = {}, apps.split(found.tags, ",")
  if #labels == 0 then labels = apps.split(found.context, ",") end
  apps.lose(lost, "duration", apps.text(found.estimate))
  local function date(name)
    local value = apps.text(found[name])
    local read = value and source:date(value)
    if value and not read then lost[name == "defer" and "start" or name == "done" and "completed_at" or name] = ("'%s' cannot be read as a date"):format(value) end
    return read
  end
  return { text = text, completed = found.done ~= nil, completed_at = date "done", due = date "due", start = date "defer", priority = found.flagged and 1 or nil,
    labels = labels, recurrence = apps.text((found["repeat-rule"] or ""):gsub("^RRULE:", "")) }, lost
end

local function taskpaper(source, out)
  local open, project, pending = {}, nil, nil
  local function finish()
    if not pending then return end
    out.line = pending.line
    out.add(pending.task, pending.lost)
    pending = nil
  end
  for line, number in source:lines() do
    local tabs, rest = line:match "^(%s*)(.*)$"
    local indent = select(2, tabs:gsub("\t", ""))
    if rest:find "^%- " then
      finish()
      for i = #open, 1, -1 do if open[i].indent >= indent then open[i] = nil end end
      local task, lost = task_of(" " .. rest:sub(3), source)
      task.list, task.source_id, task.parent = project, ("line %d"):format(number), open[#open] and open[#open].id
      open[#open + 1] = { indent = indent, id = task.source_id }
      pending = { task = task, lost = lost, line = number }
    elseif rest:find ":%s*$" or rest:find ":%s+@" then
      finish()
      open, project = {}, tags(" " .. rest):gsub(":%s*$", "")
      out.skip "project"
    elseif pending and rest ~= "" then
      pending.task.notes = pending.task.notes and pending.task.notes .. "\n" .. rest or rest
    end
  end
  finish()
end

local csv = apps.table(convert, { "Start Date", "Defer Date", "Due Date", "Completion Date" })
local text = apps.whole(taskpaper)

return { extensions = { ".taskpaper" }, rows = function(source) return (source.kind == "table" and csv or text)(source) end }
