-- Files of iCalendar (RFC 5545), as calendars export their tasks: VTODO components. Other components are skipped.

local b2c = require "b2c"
local icalendar = require "services.icalendar"

local function rows(source)
  local parts = {}
  for line in source:lines() do parts[#parts + 1] = line end
  local root = icalendar.parse(table.concat(parts, "\r\n"), source.path)
  local todos, events = icalendar.all(root, "VTODO"), #icalendar.all(root, "VEVENT") + #icalendar.all(root, "VJOURNAL")
  if events > 0 then b2c.log.info(("skipped events and journal entries, which are no tasks: %d"):format(events)) end
  local position = 0
  return function()
    position = position + 1
    local todo = todos[position]
    if not todo then return nil end
    local task = icalendar.task(todo)
    task.uid, task.date = nil, nil
    return task, todo.number
  end
end

local function write(tasks, put)
  put "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//b2c-run//tasks//EN\r\n"
  local count = 0
  for task in tasks do
    count = count + 1
    local uid = tostring(task.id or count):match "([^/]+)%.ics$" or ("b2c-run-%s"):format(task.id or count)
    put(icalendar.write(icalendar.todo(uid, task)))
  end
  put "END:VCALENDAR\r\n"
end

return { extensions = { ".ics" }, rows = rows, write = write }
