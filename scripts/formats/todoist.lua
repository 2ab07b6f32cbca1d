-- Todoist's template of a project, and its backup, a zip of them (CSV; facts of November 2026). The name of the file is the
-- project. The indent says the parent; rows of sections name no task, and comments become notes of the task above.
-- DATE is what the person typed. Days and times in numbers are read; words such as "every Monday" stay in the notes.

local apps = require "formats.apps"

-- 1 is the highest here; the API counts the other way round.
local priorities = { ["1"] = 1, ["2"] = 3, ["3"] = 5 }

--- The text without @labels, and the labels.
local function labels(content)
  local found = {}
  local plain = (" " .. content):gsub("%s@([^%s@]+)", function(label) found[#found + 1] = label return "" end)
  return #found > 0 and apps.text(plain) or content, found
end

--- The typed text as a time of the host; nil for words.
local function time(written, zone)
  local day, clock = written:match "^(%d%d%d%d%-%d%d%-%d%d)[T ]?(%d?%d?:?%d?%d?)$"
  if not day then return nil end
  if clock == "" then return day end
  if not clock:find "^%d+:%d%d$" then return nil end
  return apps.in_zone(("%sT%s%s"):format(day, #clock == 4 and "0" or "", clock), zone)
end

--- Adds the task with its comments.
local function finish(pending, out)
  if not pending then return end
  local task = pending.task
  if #pending.comments > 0 then task.notes = apps.join(task.notes, table.unpack(pending.comments)) end
  local line = out.line
  out.line = pending.line
  out.add(task, pending.lost)
  out.line = line
end

--- The task of a row.
local function task(row, list, id, parent)
  local written, lost = apps.text(row.DATE), {}
  local text, names = labels(apps.text(row.CONTENT) or "")
  local notes, due = apps.text(row.DESCRIPTION), nil
  if written then
    due, lost.due = time(written, apps.text(row.TIMEZONE))
    if not due then
      local field = written:lower():find "^every" and "recurrence" or "due"
      lost[field] = ("'%s' is in words; it is in the notes"):format(written)
      notes = apps.join(notes, (field == "due" and "Due: " or "Repeats: ") .. written)
    end
  end
  local deadline = apps.text(row.DEADLINE)
  if deadline then
    local day = time(deadline)
    if day and not due then due = day else notes = apps.join(notes, "Deadline: " .. deadline) end
  end
  return { text = text, notes = notes, completed = false, due = due, priority = priorities[row.PRIORITY], labels = names, list = list,
    source_id = id, parent = parent }, lost
end

local function read(source, part, list, out)
  local parents, pending, count = {}, nil, 0
  for row, line in source:rows { part = part } do
    row = apps.row(row, out)
    local kind = (apps.text(row.TYPE) or ""):lower()
    if kind == "task" then
      finish(pending, out)
      count = count + 1
      local indent = math.tointeger(tonumber(row.INDENT)) or 1
      local id = ("%s/%d"):format(list, count)
      for i = #parents, 1, -1 do if parents[i].indent >= indent then parents[i] = nil end end
      local parent = parents[#parents]
      local made, lost = task(row, list, id, parent and parent.id)
      pending = { task = made, lost = lost, comments = {}, line = line }
      parents[#parents + 1] = { indent = indent, id = id }
    elseif kind == "note" and pending then
      pending.comments[#pending.comments + 1] = row.CONTENT
    elseif kind == "section" then
      -- A section ends the tasks above it.
      parents = {}
      out.skip "section"
    elseif kind ~= "" and kind ~= "meta" then
      out.skip(kind)
    end
  end
  finish(pending, out)
end

local function convert(source, out)
  local parts = source:parts()
  if #parts == 0 then return read(source, nil, apps.stem(source.path), out) end
  for _, part in ipairs(parts) do
    -- The backup has a number behind the name of the project.
    if part:lower():find "%.csv$" then read(source, part, (apps.stem(part):gsub(" %[%d+%]$", "")), out) end
  end
end

return { rows = apps.whole(convert) }
