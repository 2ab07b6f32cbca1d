-- Google Tasks, as Takeout writes them (Tasks.json; facts of November 2026). A due date is a day, written as midnight in UTC.

local apps = require "formats.apps"

local function url(links)
  for _, link in ipairs(apps.object(links)) do
    if apps.text(link.link) then return link.link end
  end
end

return { rows = apps.json(function(document, out)
  for _, list in ipairs(apps.object(document.items)) do
    for _, task in ipairs(apps.object(list.items)) do
      if task.deleted == true then
        out.skip("deleted task", "deleted tasks")
      else
        local done = task.status == "completed"
        out.add {
          text = apps.text(task.title), notes = apps.text(task.notes), completed = done, completed_at = done and apps.text(task.completed) or nil,
          due = apps.day(task.due), list = apps.text(list.title), url = url(task.links), source_id = task.id, parent = apps.text(task.parent),
        }
      end
    end
  end
end) }
