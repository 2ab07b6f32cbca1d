-- Things as JSON, as things.py and similar programs write it; Things itself exports nothing (facts of November 2026). The project, or else
-- the area, is the list.

local apps = require "formats.apps"

--- The items of a checklist.
local function items(task)
  local found = {}
  for i, item in ipairs(apps.object(task.checklist)) do
    found[i] = { id = apps.text(item.uuid), text = item.title, completed = item.status == "completed", completed_at = apps.text(item.stop_date) }
  end
  return found
end

return { rows = apps.json(function(document, out)
  for _, task in ipairs(document) do
    if task.type ~= "to-do" then
      out.skip(apps.text(task.type) or "other entry")
    elseif task.trashed == true then
      out.skip("deleted task")
    else
      local lost = {}
      local is_done = task.status == "completed" or task.status == "canceled"
      apps.lose(lost, "heading", apps.text(task.heading_title))
      apps.lose(lost, "reminder", apps.text(task.reminder_time))
      local made = out.add({
        text = apps.text(task.title), notes = apps.text(task.notes), completed = is_done, completed_at = is_done and apps.text(task.stop_date) or nil,
        due = apps.text(task.deadline), start = apps.text(task.start_date), labels = apps.strings(task.tags),
        list = apps.text(task.project_title) or apps.text(task.area_title), source_id = task.uuid,
      }, lost)
      if made then out.items(made, items(task)) end
    end
  end
end) }
