-- Reads and writes Todoist's CSV files, the format of "Export as CSV" and "Import from CSV".
--
--   cp examples/plugins/todoist.lua plugins/
--   b2c-run import --format todoist --concurrency 1 project.csv
--   b2c-run export project.todoist.csv
--
-- A sub-task becomes a task with its parents before it: "Plan the trip > Book the hotel". An export makes it a sub-task
-- again if the previous task is its parent; --concurrency 1 keeps that order. Sections and comments are skipped,
-- because tasks cannot hold them. Completed tasks are not written, because a Todoist file has only open tasks.

local b2c = require "b2c"

local separator = " > "

local columns = {
  "TYPE", "CONTENT", "DESCRIPTION", "PRIORITY", "INDENT", "AUTHOR", "RESPONSIBLE", "DATE", "DATE_LANG", "TIMEZONE",
}

--- Makes a task from a row. The columns are fields of the row: row.DATE, row.PRIORITY, row.DESCRIPTION.
local function task(row, path) return { text = path } end

local function rows(source)
  local next_row = source:rows()
  local parents = {}
  return function()
    for row, line in next_row do
      if row.TYPE == "task" then
        local indent = math.max(1, math.tointeger(tonumber(row.INDENT)) or 1)
        parents[indent] = row.CONTENT
        for i = indent + 1, #parents do parents[i] = nil end
        local path = {}
        for i = 1, indent do path[#path + 1] = parents[i] end
        return task(row, table.concat(path, separator)), line
      end
    end
  end
end

local function field(text)
  if not text:find '[",\r\n]' then return text end
  return '"' .. text:gsub('"', '""') .. '"'
end

local function write(tasks, put)
  put(table.concat(columns, ",") .. "\n")
  local parents, done = {}, 0
  for task in tasks do
    if task.completed then
      done = done + 1
    else
      -- The indent depends on the parents that this task shares with the previous task.
      local indent, content = 1, task.text
      while parents[indent] and content:sub(1, #parents[indent] + #separator) == parents[indent] .. separator do
        content = content:sub(#parents[indent] + #separator + 1)
        indent = indent + 1
      end
      parents[indent] = content
      for i = indent + 1, #parents do parents[i] = nil end
      put(("task,%s,,4,%d,,,,,\n"):format(field(content), indent))
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
