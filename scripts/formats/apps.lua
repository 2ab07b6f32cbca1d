-- The parts that the formats of apps share: the tasks that they make of rows and documents, and the forms of values.

local b2c = require "b2c"
local moment = b2c.tasks.moment
local zones = require "services.zones"

local apps = {}

--- A text without blanks around it; nil for an empty one, and for other values.
function apps.text(value)
  if type(value) == "number" then value = tostring(value) end
  local trimmed = type(value) == "string" and value:match "^%s*(.-)%s*$" or ""
  return trimmed ~= "" and trimmed or nil
end
local text = apps.text

--- A table; an empty one for other values.
function apps.object(value) return type(value) == "table" and value or {} end

--- The texts of the parts between separators, which are single characters.
function apps.split(value, separators)
  local parts = {}
  for part in (value or ""):gmatch("[^" .. separators .. "]+") do parts[#parts + 1] = text(part) end
  return parts
end

--- The member `name` of each object of a list.
function apps.names(list, name)
  local found = {}
  for _, one in ipairs(apps.object(list)) do found[#found + 1] = text(apps.object(one)[name]) end
  return found
end

--- The texts of a list.
function apps.strings(list)
  local found = {}
  for _, one in ipairs(apps.object(list)) do found[#found + 1] = text(one) end
  return found
end

--- The value of the first of these columns that has one.
function apps.column(row, ...)
  for _, name in ipairs { ... } do
    if text(row[name]) then return text(row[name]) end
  end
end

--- The values of columns with one name.
function apps.repeated(row, name)
  local found, count = {}, 1
  while row[count == 1 and name or ("%s %d"):format(name, count)] do
    found[#found + 1] = text(row[count == 1 and name or ("%s %d"):format(name, count)])
    count = count + 1
  end
  return found
end

--- A row whose columns count as taken when they are read; a column that is not there is nil.
function apps.row(row, out)
  setmetatable(row, nil)
  for name, value in pairs(row) do
    if value ~= "" then out.values[name] = (out.values[name] or 0) + 1 end
  end
  return setmetatable({}, { __index = function(_, name)
    out.taken[name] = true
    return row[name]
  end })
end

--- A function that gives the value of a word in any letter case.
function apps.words(values) return function(word) return values[(text(word) or ""):lower()] end end

--- True for a cell that says yes, in the languages of spreadsheets.
local yes = apps.words { ["true"] = 1, yes = 1, y = 1, ["1"] = 1, x = 1, wahr = 1, ja = 1, vrai = 1, oui = 1, ["sí"] = 1, verdadero = 1 }
function apps.yes(value) return value == true or yes(value) ~= nil end

--- The joined notes, with an empty line between them.
function apps.join(...)
  local parts = {}
  for i = 1, select("#", ...) do parts[#parts + 1] = text((select(i, ...))) end
  return #parts > 0 and table.concat(parts, "\n\n") or nil
end

local entities = { amp = "&", lt = "<", gt = ">", quot = '"', apos = "'", nbsp = " " }

--- The text of HTML, with its paragraphs and lists as lines.
function apps.plain_html(html)
  if not html or not html:find "<%a" then return html end
  local plain = html:gsub("<[bB][rR]%s*/?>", "\n"):gsub("</[pP]>%s*", "\n"):gsub("</[lL][iI]>%s*", "\n"):gsub("<[lL][iI][^>]*>", "- "):gsub("<[^>]*>", "")
  return text((plain:gsub("&#(%d+);", function(code) return utf8.char(code) end):gsub("&(%a+);", entities)))
end

--- Notes the fields of the app that tasks do not have: apps.lose(lost, "assignee", value).
function apps.lose(lost, field, value)
  if value then lost[field] = ("tasks have no such field: %s"):format(#value > 60 and value:sub(1, 60) .. "…" or value) end
end

-- Times

--- The day of a time as it is written.
function apps.day(time) return time and time:match "^%d%d%d%d%-%d%d%-%d%d" end

--- The day that clocks of a zone show at an instant, and the reason why it may be another one.
function apps.day_in(time, zone)
  local named = zone and zones.named(zone)
  local ok, there = pcall(moment, time or "", named or nil)
  if not ok then return time end
  if named or not there.utc then return there.date end
  return there.date, zone and ("the time zone '%s' is not known; the day is that of UTC"):format(zone) or "no time zone is given; the day is that of UTC"
end

--- A time of the clocks in a zone, and the reason if the zone is lost.
function apps.in_zone(time, zone)
  if not time or not zone or not time:find "T" or time:find "Z$" or time:find "[+-]%d%d:?%d%d$" then return time end
  local named = zones.named(zone)
  if named == "UTC" then return time .. "Z" end
  if named then return time .. "[" .. named .. "]" end
  return time, ("the time zone '%s' is not known; the time is read without a zone"):format(zone)
end

--- Milliseconds or seconds since 1970 as an instant; nil for none.
function apps.instant(number, unit)
  number = math.tointeger(number)
  return number and number > 0 and os.date("!%Y-%m-%dT%H:%M:%SZ", number // (unit or 1)) or nil
end

-- Tasks

local fields = {
  "text", "notes", "completed", "completed_at", "due", "start", "priority", "labels", "list", "recurrence", "url", "source_id", "parent",
}

--- The most columns that a line names.
local most_left = 12

--- The tasks that a format makes of a source.
local function output()
  local out = { ready = {}, counts = {}, order = {}, taken = {}, values = {} }

  --- Skips and counts an entry: out.skip "section".
  function out.skip(noun, plural)
    if not out.counts[noun] then out.order[#out.order + 1] = { noun, plural or noun .. "s" } end
    out.counts[noun] = (out.counts[noun] or 0) + 1
  end

  --- Adds a task. `lost` has the reasons why fields are not kept as they are.
  function out.add(task, lost)
    local clean = {}
    for _, name in ipairs(fields) do
      local value = task[name]
      if value == "" or name == "priority" and value == 0 or name == "labels" and value and #value == 0 then value = nil end
      clean[name] = value
    end
    clean.completed = task.completed and true or false
    -- Some apps have tasks without a title.
    clean.text = clean.text or (clean.notes or ""):match "[^\r\n]+"
    if not clean.text then return out.skip("row without a text", "rows without a text") end
    out.ready[#out.ready + 1] = { clean, out.line, lost and next(lost) and lost or nil }
    return clean
  end

  --- Adds the items of a checklist as tasks below a task.
  function out.items(parent, items)
    for i, item in ipairs(items) do
      out.add { text = item.text, completed = item.completed, completed_at = item.completed_at, due = item.due, list = parent.list,
        source_id = item.id or ("%s/%d"):format(parent.source_id, i), parent = parent.source_id }
    end
  end

  --- Tells what was passed over.
  function out.finish()
    local parts = {}
    for _, noun in ipairs(out.order) do
      local count = out.counts[noun[1]]
      parts[#parts + 1] = ("%d %s"):format(count, count == 1 and noun[1] or noun[2])
    end
    if #parts > 0 then b2c.log.info("skipped " .. table.concat(parts, ", ")) end
    local left = {}
    for name, count in pairs(out.values) do
      if not out.taken[name] then left[#left + 1] = ('"%s" (%d %s)'):format(name, count, count == 1 and "value" or "values") end
    end
    table.sort(left)
    local more = #left > most_left and (" and %d more"):format(#left - most_left) or ""
    if #left > 0 then b2c.log.info("no field comes from " .. table.concat(left, ", ", 1, math.min(#left, most_left)) .. more) end
  end
  return out
end

--- An iterator over the tasks of a step that is called until it returns false.
local function iterator(out, step)
  local position, ended = 0, false
  return function()
    while true do
      position = position + 1
      local ready = out.ready[position]
      if ready then
        out.ready[position] = nil
        return ready[1], ready[2], ready[3]
      end
      position, out.ready = 0, {}
      if ended then return nil end
      ended = not step()
      if ended then out.finish() end
    end
  end
end

--- A format of tables: `convert` gets each row and adds its tasks. `dates` names the columns with dates.
--- With `finish`, tasks may be added at the end.
function apps.table(convert, dates, finish)
  return function(source)
    local out = output()
    out.source = source
    local next_row = source:rows { dates = dates }
    return iterator(out, function()
      local row, line = next_row()
      out.line = line
      if row then convert(apps.row(row, out), out) elseif finish then finish(out) end
      return row ~= nil
    end)
  end
end

--- A format of JSON: `convert` gets the document and adds all tasks.
function apps.json(convert)
  return function(source)
    local out = output()
    out.source = source
    return iterator(out, function() convert(source:json(), out, source) return false end)
  end
end

--- A format with more than one part: `convert` reads the source and adds all tasks.
function apps.whole(convert)
  return function(source)
    local out = output()
    out.source = source
    return iterator(out, function() convert(source, out) return false end)
  end
end

--- The name of a file without its folder and its ending.
function apps.stem(path) return (path:match "([^/\\]+)$" or path):gsub("%.gz$", ""):gsub("%.zst$", ""):gsub("%.zip$", ""):gsub("%.%w+$", "") end

--- Raises the error about a file that cannot be read as it is.
function apps.refuse(source, problem, hint) error({ code = "doubtful_file", message = source.path .. ": " .. problem, hint = hint }, 0) end

return apps
