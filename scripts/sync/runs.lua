-- The changes of a sync as plans, one for each side: they are written, carried out and taken back as those of an import.
--
-- A row of a plan has the pair of its tasks as values of its source: the IDs at both sides, and what the journal says about the
-- pair when the row is done, and when it is taken back. So a plan tells all that a later run needs.

local b2c = require "b2c"
local csv, imports, json, tasks, term = b2c.csv, b2c.imports, b2c.json, b2c.tasks, b2c.term
local journal = require "sync.journal"

local runs = {}
local columns = { "a", "b", "pair" }
-- So many runs can be taken back. The imports of earlier ones are forgotten.
local most = 10

-- The errors that a plan has each time: its list cannot be made, it is another account's, its file is gone or damaged.
local lasting = { unknown_list = true, plan_elsewhere = true, invalid_argument = true, unreadable = true, not_a_plan = true, plan_changed = true,
  plan_cut_off = true, plan_invalid = true }

local function read(path)
  local file <close> = assert(io.open(path))
  return json.decode(file:read "a")
end

--- The file of a side's plan.
function runs.file(name, at) return ("%s.%s.json"):format(name:gsub("%.json$", ""), at.letter) end

function runs.source(a, b, name) return ("sync of %s and %s by %s, line %d"):format(a.word, b.word, name, journal.lines) end

--- Writes the plan of a side. `facts` of an entry are about its pair.
function runs.write(at, entries, name, source, more)
  local changes = {}
  for i, entry in ipairs(entries) do
    local facts = entry.facts
    changes[i] = { add = entry.add, set = entry.set, remove = entry.remove, conflict = entry.conflict, task = entry.task,
      parent_row = entry.parent_row, source = { facts.a or "", facts.b or "", json.encode(facts) } }
  end
  local given = at.options { plan = runs.file(name, at), source = source, kind = "sync", columns = columns, width = term.size() }
  for key, value in pairs(more or {}) do given[key] = value end
  return tasks.plan_changes(changes, given)
end

-- The pairs after a run

local function other(letter) return letter == "a" and "b" or "a" end

--- The pair of a row as the journal has it after the row. `id` is the task of the side, `values` its state there.
local function pair_of(at, facts, id, states, values)
  local pair = { a = facts.a, b = facts.b, state_a = {}, state_b = {} }
  pair[at.letter] = id
  for letter, state in pairs(states) do
    local copy = pair["state_" .. letter]
    for field, value in pairs(state) do copy[field] = value end
  end
  if values then pair["state_" .. at.letter] = values end
  return pair
end

--- The parent of a task that this plan has given one: its ID is known when all pairs are.
local function add_parent(pair, letter, facts)
  if not facts.gets_parent then return end
  local source = pair["state_" .. other(letter)].parent
  local parent = source and journal.partners[other(letter) .. source]
  pair["state_" .. letter].parent = parent and parent[letter]
end

--- Enters the pairs of a plan that was carried out, as far as its rows are done. `now` tells the state of a task at a side.
local function settle(done, now)
  local groups, order = {}, {}
  for _, one in ipairs(done) do
    local at = one.at
    for _, row in ipairs(one.rows) do
      local facts = json.decode(row.source[3])
      if facts.kind ~= "conflict" then
        local key = (facts.a or "") .. "\n" .. (facts.b or "")
        local group = groups[key] or { facts = facts, rows = {} }
        if not groups[key] then order[#order + 1] = group end
        groups[key] = group
        table.insert(group.rows, { at = at, row = row, facts = facts, made = one.made[row.row], is_gone = one.is_gone(row) })
      end
    end
  end
  local waiting = {}
  for _, group in ipairs(order) do
    local pair, is_done, is_removal = nil, true, false
    for _, one in ipairs(group.rows) do
      local action = one.row.action
      is_removal = is_removal or action == "remove"
      is_done = is_done and (one.made ~= nil or action == "same" or action == "remove" and one.is_gone)
      if one.made and action ~= "remove" then
        local values = now(one.at, one.made.id, one.made.etag)
        for _, field in ipairs(values and one.facts.open or {}) do values[field] = one.facts.after[one.at.letter][field] end
        pair = pair or pair_of(one.at, one.facts, one.made.id, one.facts.after)
        pair[one.at.letter] = one.made.id
        if values then pair["state_" .. one.at.letter] = values else waiting[#waiting + 1] = { pair, one } end
      end
    end
    local facts = group.facts
    if is_done and is_removal then
      local known = journal.partners["a" .. facts.a]
      journal.forget(known and known.b == facts.b and known or { a = facts.a, b = facts.b })
    elseif is_done then
      pair = pair or facts.a and facts.b and pair_of(group.rows[1].at, facts, facts[group.rows[1].at.letter], facts.after)
      -- A service may not tell the ID. Then the next run pairs the two.
      if pair and pair.a and pair.b then
        journal.enter(pair)
        group.pair = pair
      end
    end
  end
  for _, one in ipairs(waiting) do add_parent(one[1], one[2].at.letter, one[2].facts) end
  for _, group in ipairs(order) do if group.pair then journal.save(group.pair) end end
end

--- Notes that a run has come to its end, and forgets one that is too old to be taken back.
function runs.finish(ids, plans)
  local run = { imports = ids, plans = plans }
  journal.record { run = run }
  table.insert(journal.runs, run)
  journal.begun = nil
  local old = journal.runs[#journal.runs - most]
  for _, id in pairs(old and old.imports or {}) do
    local ok, problem = pcall(imports.forget, id)
    if not ok then b2c.log.debug(("the import %s is not forgotten: %s"):format(id, type(problem) == "table" and problem.message or problem)) end
  end
end

--- Carries out the plans of a run that is begun. Returns what became of their rows, by the side.
function runs.carry_out(sides, options, read_sides, now)
  local begun, results, done, ids = journal.begun, {}, {}, {}
  for _, at in ipairs(sides) do
    if begun[at.letter] then
      local ok, result = pcall(tasks.apply, runs.file(options.journal, at), at.options { progress = not term.is_tty() and "none" or nil })
      if not ok then
        -- The same plan would end here again. The next run finds out what is done.
        if type(result) == "table" and lasting[result.code] then journal.record { dropped = true } end
        error(result, 0)
      end
      results[at], ids[at.letter] = result, result.id
    end
  end
  read_sides(begun)
  for _, at in ipairs(sides) do
    if begun[at.letter] then
      local made = {}
      for task in imports.tasks(ids[at.letter]) do made[task.row] = task end
      local rows, number, of = read(runs.file(options.journal, at)).rows, 0, {}
      -- An import has the new tasks first, then the changes, then the removals.
      for _, action in ipairs { "create", "change", "remove" } do
        for _, row in ipairs(rows) do
          if row.action == action then
            number = number + 1
            of[row.row] = made[number]
          end
        end
      end
      done[#done + 1] = { at = at, rows = rows, made = of, is_gone = function(row) return not at.tasks[row.task] end }
    end
  end
  settle(done, now)
  runs.finish(ids, begun)
  for _, at in ipairs(sides) do if begun[at.letter] then os.remove(runs.file(options.journal, at)) end end
  return results
end

--- Begins a run with the plans beside the journal. Their IDs are in the journal before the first change.
function runs.begin(plans)
  local begun = {}
  for at, plan in pairs(plans) do begun[at.letter] = plan.id end
  journal.record { begin = begun }
  journal.begun = begun
end

--- Takes the plans that somebody has looked at as those of this run. Returns false if they were carried out before.
function runs.take(sides, options, source, refuse)
  local plans, texts = {}, {}
  for _, at in ipairs(sides) do
    local path = runs.file(options.plan, at)
    local file, problem = io.open(path)
    if not file then refuse(problem, ("sync without --apply writes it: --plan %s"):format(options.plan)) end
    texts[at] = file:read "a"
    file:close()
    local ok, plan = pcall(json.decode, texts[at])
    if not ok or type(plan) ~= "table" or plan.kind ~= "sync" then refuse(path .. " is not a plan of sync") end
    plans[at] = plan
  end
  for _, run in ipairs(journal.runs) do
    for _, at in ipairs(sides) do if run.plans[at.letter] == plans[at].id then return false end end
  end
  for _, at in ipairs(sides) do
    if plans[at].source ~= source then
      refuse(("%s is for another state of %s: %s"):format(runs.file(options.plan, at), options.journal, plans[at].source),
        ("make a new plan: sync without --apply, with --plan %s"):format(options.plan))
    end
  end
  local taken = {}
  for _, at in ipairs(sides) do
    if #plans[at].rows > 0 then
      local file <close> = assert(io.open(runs.file(options.journal, at), "w"))
      assert(file:write(texts[at]))
      assert(file:sync())
      taken[at] = plans[at]
    end
  end
  return taken
end

-- Undo

local function stem(path) return path:match "([^/]+)$":match "^[^.]*" end

--- Enters what the undo of an import has done with pairs. `is_back` is true for an undo, false for the undo of one.
local function settle_undo(at, undo, is_back, name)
  local path = (name:gsub("%.json$", "")) .. ".undo.csv"
  imports.receipt(undo.id, path)
  for row in csv.rows(path, { separator = "," }) do
    local mark = { undo = undo.id, row = row._row }
    if row._outcome == "reversed" and (row.pair or "") ~= "" and not journal.settled[undo.id .. "/" .. row._row] then
      local facts = json.decode(row.pair)
      local id = row._id ~= "" and row._id or facts[at.letter] or ""
      local is_gone
      if is_back then is_gone = facts.kind == "add" else is_gone = facts.kind == "remove" end
      if is_gone then
        local far = other(at.letter)
        local known = journal.partners[far .. (facts[far] or "")]
        journal.forget(known or { a = facts.a or id, b = facts.b or id }, mark)
      else
        local pair = pair_of(at, facts, id, (is_back and facts.before or facts.after) or {})
        if not is_back then add_parent(pair, at.letter, facts) end
        journal.save(pair, mark)
      end
      journal.settled[undo.id .. "/" .. row._row] = true
    end
  end
  os.remove(path)
end

--- All imports by their IDs, and the undos by the names of the journals that they take back.
local function all_imports()
  local by_id, undos = {}, {}
  for _, import in ipairs(imports.list()) do
    by_id[import.id] = import
    local undone = (import.source or ""):match "%(undo ([^()]+)%)$"
    if undone then undos[undone] = import end
  end
  return by_id, undos
end

--- Calls a function with each run that can be taken back, the last one at the end.
local function each_run(first, last, step, f)
  for i = first, last, step do
    if i >= #journal.runs - most + 1 and i > 0 and f(journal.runs[i]) then return true end
  end
  return false
end

--- Looks for undos of the last runs, also by b2c-run imports undo, and enters what they did.
function runs.find_undos(sides, name)
  if #journal.runs == 0 then return end
  local by_id, undos = all_imports()
  each_run(1, #journal.runs, 1, function(run)
    for _, at in ipairs(sides) do
      local import, is_back = by_id[run.imports[at.letter]], true
      while import do
        import = undos[stem(import.path)]
        if import then settle_undo(at, import, is_back, name) end
        is_back = not is_back
      end
    end
  end)
end

--- The import to take back for that one: itself, or what has brought it back; nil if it is taken back.
local function undoable(import, undos)
  local before, last, is_back = nil, import, false
  while undos[stem(last.path)] do before, last, is_back = last, undos[stem(last.path)], not is_back end
  if not is_back then return last end
  -- An undo that was interrupted continues.
  return not last.finished and before or nil
end

--- Takes the last run back that is not taken back, or shows that. Returns whether there was one, and whether each row is as it was.
function runs.undo(sides, name, applies)
  local by_id, undos = all_imports()
  local is_complete = true
  local was_one = each_run(#journal.runs, 1, -1, function(run)
    local is_one = false
    for _, at in ipairs(sides) do
      local import = by_id[run.imports[at.letter]]
      import = import and undoable(import, undos)
      if import then
        local result = imports.undo(import.id, at.options { apply = applies or nil, width = term.size(),
          progress = not term.is_tty() and "none" or nil })
        print(("%s (%s): %s"):format(at.letter, at.word, (tostring(result):gsub("\n$", ""))))
        is_one, is_complete = true, is_complete and (not applies or result.complete)
      end
    end
    return is_one
  end)
  if was_one and applies then runs.find_undos(sides, name) end
  return was_one, is_complete
end

return runs
