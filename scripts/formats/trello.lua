-- Trello's board as JSON, and as CSV of Premium (facts of November 2026). The items of checklists are the subtasks.

local apps = require "formats.apps"

local function of_board(board, out)
  local lists, items = {}, {}
  for _, list in ipairs(apps.object(board.lists)) do lists[list.id] = list.name end
  for _, checklist in ipairs(apps.object(board.checklists)) do
    local all = items[checklist.idCard] or {}
    items[checklist.idCard] = all
    for _, item in ipairs(apps.object(checklist.checkItems)) do
      all[#all + 1] = { id = item.id, text = item.name, completed = item.state == "complete", due = apps.text(item.due) }
    end
  end
  for _, card in ipairs(apps.object(board.cards)) do
    local labels = {}
    -- A label without a name has a color only.
    for _, label in ipairs(apps.object(card.labels)) do labels[#labels + 1] = apps.text(label.name) or apps.text(label.color) end
    local task = out.add {
      text = card.name, notes = apps.text(card.desc), completed = card.dueComplete == true or card.closed == true, due = apps.text(card.due),
      start = apps.text(card.start), labels = labels, list = lists[card.idList], url = apps.text(card.url) or apps.text(card.shortUrl),
      source_id = card.id,
    }
    if task then out.items(task, items[card.id] or {}) end
  end
end

--- Shopping (green), Urgent (red): the color stands behind the name.
local function labels(cell)
  local found = apps.split(cell, ",")
  for i, label in ipairs(found) do found[i] = label:match "^(.-)%s*%(%l[%l_]*%)$" or label end
  return found
end

local function of_row(row, out)
  out.add {
    text = apps.text(row["Card Name"]), notes = apps.text(row["Card Description"]), completed = apps.yes(row["Due Complete"]) or apps.yes(row.Archived),
    due = apps.text(row["Due Date"]), start = apps.text(row["Start Date"]), labels = labels(row.Labels), list = apps.text(row["List Name"]),
    url = apps.text(row["Card URL"]), source_id = apps.text(row["Card ID"]),
  }
end

local json, csv = apps.json(of_board), apps.table(of_row, { "Due Date", "Start Date" })

return { rows = function(source) return (source.kind == "json" and json or csv)(source) end }
