-- Outlook's tasks, as its wizard exports them (CSV; facts of November 2026). The names of the columns and the values are in the
-- language of Outlook: English or German.

local apps = require "formats.apps"

-- The columns in English and in German.
local columns = {
  text = { "Subject", "Betreff" }, start = { "Start Date", "Beginnt am" }, due = { "Due Date", "Fällig am" },
  completed_at = { "Date Completed", "Erledigt am" }, share = { "% Complete", "% erledigt" }, labels = { "Categories", "Kategorien" },
  notes = { "Notes", "Notizen" }, priority = { "Priority", "Priorität" }, status = { "Status" },
  reminder = { "Reminder Date", "Erinnerung am", "Erinnerungsdatum" },
}

local priorities = apps.words { high = 1, low = 9, hoch = 1, niedrig = 9 }
local done = apps.words { completed = true, complete = true, erledigt = true, abgeschlossen = true }

local function convert(row, out)
  local function cell(name) return apps.column(row, table.unpack(columns[name])) end
  --- A date; Outlook writes 0.0.00 for none.
  local function date(name)
    local value = cell(name)
    return value and not value:find "^0[./]0[./]0+$" and value or nil
  end
  local lost = {}
  apps.lose(lost, "reminder", date "reminder")
  local share = tonumber(((cell "share" or ""):gsub("[%%%s]", ""):gsub(",", ".")))
  local completed_at = date "completed_at"
  out.add({
    text = cell "text", notes = cell "notes", completed = done(cell "status") or completed_at ~= nil or share == 1 or share == 100,
    completed_at = completed_at, due = date "due", start = date "start", priority = priorities(cell "priority"),
    labels = apps.split(cell "labels", ";"),
  }, lost)
end

return { rows = apps.table(convert, { "Start Date", "Beginnt am", "Due Date", "Fällig am", "Date Completed", "Erledigt am" }) }
