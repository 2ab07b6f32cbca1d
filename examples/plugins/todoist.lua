-- Reads and writes Todoist's CSV files, the format of "Export as CSV" and "Import from CSV".
--
--   cp examples/plugins/todoist.lua plugins/
--   b2c-run import --format todoist --concurrency 1 project.csv
--   b2c-run export project.todoist.csv
--
-- A sub-task becomes a task with its parents before it: "Plan the trip > Book the hotel". An export makes it a sub-task
-- again if the previous task is its parent; --concurrency 1 keeps that order. The section of a task becomes its first label, with
-- a slash behind it: "Home/". Labels in the text (@home) become labels, too. A date that is written as 2027-01-31 becomes the due
-- date; words such as "every monday" are added to the notes. Comments are added to the notes of the task before. Completed tasks
-- are not written, because a Todoist file has only open tasks.

local b2c = require "b2c"

local separator = " > "

local columns = {
  "TYPE", "CONTENT", "DESCRIPTION", "PRIORITY", "INDENT", "AUTHOR", "RESPONSIBLE", "DATE", "DATE_LANG", "TIMEZONE",
}

local priorities = { ["1"] = 1, ["2"] = 3, ["3"] = 5 }

--- Makes a task from a row. The columns are fields of the row: row.DATE, row.PRIORITY, row.DESCRIPTION.
local function task(row, path, section)
  local labels, notes = {}, {}
  if section then labels[1] = section .. "/" end
  for label in (" " .. row.CONTENT):gmatch "%s@([%w_-]+)" do labels[#labels + 1] = label end
  if row.DESCRIPTION ~= "" then notes[1] = row.DESCRIPTION end
  local is_date = row.DATE:find "^%d%d%d%d%-%d%d%-%d%d"
  if row.DATE ~= "" and not is_date then notes[#notes + 1] = "Due: " .. row.DATE end
  return { text = path, notes = table.concat(notes, "\n"), due = is_date and row.DATE or nil, priority = priorities[row.PRIORITY], labels = labels }
end

local function rows(source)
  local next_row = source:rows()
  local parents, section = {}, nil
  local ahead, ahead_line
  --- The next row that is a task or a comment.
  local function read()
    for row, line in next_row do
      if row.TYPE == "section" then section = row.CONTENT end
      if row.TYPE == "task" or row.TYPE == "note" then return row, line, section end
    end
  end
  local ahead_section
  ahead, ahead_line, ahead_section = read()
  return function()
    while ahead and ahead.TYPE == "note" do ahead, ahead_line, ahead_section = read() end
    if not ahead then return nil end
    local row, line = ahead, ahead_line
    local indent = math.max(1, math.tointeger(tonumber(row.INDENT)) or 1)
    parents[indent] = row.CONTENT
    for i = indent + 1, #parents do parents[i] = nil end
    local path = {}
    for i = 1, indent do path[#path + 1] = parents[i] end
    local made = task(row, table.concat(path, separator), ahead_section)
    ahead, ahead_line, ahead_section = read()
    while ahead and ahead.TYPE == "note" do
      made.notes = made.notes == "" and ahead.CONTENT or made.notes .. "\n" .. ahead.CONTENT
      ahead, ahead_line, ahead_section = read()
    end
    return made, line
  end
end

local function field(text)
  if not text:find '[",\r\n]' then return text end
  return '"' .. text:gsub('"', '""') .. '"'
end

local written_priorities = { 1, 1, 2, 2, 3, 3, 3, 3, 3 }

local function write(tasks, put)
  put(table.concat(columns, ",") .. "\n")
  local parents, done, section = {}, 0, nil
  for task in tasks do
    if task.completed then
      done = done + 1
    else
      local own
      for _, label in ipairs(task.labels or {}) do own = own or label:match "^(.+)/$" end
      if own and own ~= section then put(("section,%s,,,,,,,,\n"):format(field(own))) end
      section = own or section
      -- The indent depends on the parents that this task shares with the previous task.
      local indent, content = 1, task.text
      while parents[indent] and content:sub(1, #parents[indent] + #separator) == parents[indent] .. separator do
        content = content:sub(#parents[indent] + #separator + 1)
        indent = indent + 1
      end
      parents[indent] = content
      for i = indent + 1, #parents do parents[i] = nil end
      put(("task,%s,%s,%d,%d,,,%s,,\n"):format(field(content), field(task.notes or ""), written_priorities[task.priority or 0] or 4,
        indent, (task.due or ""):sub(1, 10)))
    end
  end
  if done > 0 then b2c.log.info(("%d tasks that are done were left out"):format(done)) end
end

return {
  name = "todoist",
  version = "1.0",
  formats = {
    todoist = { extensions = { ".todoist.csv" }, rows = rows, write = write },
  },
}
