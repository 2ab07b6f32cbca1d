-- The journal of a sync: which tasks are the same, and how they were when they were last alike. A line of JSON for each fact; the
-- last line about a pair counts. Each line is on the disk before the next change is made.

local b2c = require "b2c"
local json = b2c.json

local journal = {
  pairs = {},
  -- The pairs by the side and the ID.
  partners = {},
  -- The runs that made changes, the last one at the end: the IDs of their imports and plans, by the side.
  runs = {},
  -- The run that was begun and has not come to its end.
  begun = nil,
  -- The rows of undos whose pairs are known already, by the undo's ID and the row.
  settled = {},
  -- The number of lines that the file had.
  lines = 0,
}

local path, file, salt

function journal.record(entry)
  if not file then return end
  assert(file:write(json.encode(entry), "\n"))
  assert(file:sync())
end

--- Enters a pair without writing it down. A task has one partner: `displaced` of the pair gets the pairs that end by that.
function journal.enter(pair)
  pair.displaced = pair.displaced or {}
  for letter, id in pairs { a = pair.a, b = pair.b } do
    local other = journal.partners[letter .. id]
    if other and other ~= pair then
      journal.drop(other)
      if other.a ~= pair.a or other.b ~= pair.b then table.insert(pair.displaced, other) end
    end
  end
  journal.pairs[pair], journal.partners["a" .. pair.a], journal.partners["b" .. pair.b] = true, pair, pair
end

--- Forgets a pair without writing that down.
function journal.drop(pair)
  for letter, id in pairs { a = pair.a, b = pair.b } do
    if journal.partners[letter .. id] == pair then journal.partners[letter .. id] = nil end
  end
  journal.pairs[pair] = nil
end

--- Enters a pair, with the members in `more` in its line. The pairs that it ends are written down behind it: a run that is killed
--- between the two knows the pair.
function journal.save(pair, more)
  journal.enter(pair)
  local line = { a = pair.a, b = pair.b, state_a = pair.state_a, state_b = pair.state_b }
  for name, value in pairs(more or {}) do line[name] = value end
  journal.record(line)
  for _, old in ipairs(pair.displaced) do journal.record { a = old.a, b = old.b, gone = true } end
  pair.displaced = nil
end

function journal.forget(pair, more)
  journal.drop(pair)
  local line = { a = pair.a, b = pair.b, gone = true }
  for name, value in pairs(more or {}) do line[name] = value end
  journal.record(line)
end

--- Gives a pair other IDs: a task may get another one when it moves to another list.
function journal.rename(pair, id_a, id_b)
  if pair.a == id_a and pair.b == id_b then return end
  local old = { a = pair.a, b = pair.b }
  journal.drop(pair)
  pair.a, pair.b = id_a, id_b
  journal.save(pair)
  journal.record { a = old.a, b = old.b, gone = true }
end

--- Reads the journal, and keeps it for this run if the run makes changes.
function journal.open(a, b, name, applies, refuse)
  path = name
  local is_cut, is_journal, known = false, false, {}
  local function take(entry)
    if entry.sides then
      if entry.sides[1] ~= a.word or entry.sides[2] ~= b.word then
        refuse(("%s is the journal of %s and %s"):format(path, entry.sides[1], entry.sides[2]), "name another file")
      end
      salt, is_journal = entry.salt, true
    elseif entry.begin then
      assert(type(entry.begin) == "table")
      journal.begun = entry.begin
    elseif entry.dropped then
      journal.begun = nil
    elseif entry.run then
      assert(type(entry.run.imports) == "table" and type(entry.run.plans) == "table")
      journal.begun = nil
      table.insert(journal.runs, entry.run)
    -- Earlier versions wrote down each task that they were about to add.
    elseif not entry.adding then
      known[entry.a .. "\n" .. entry.b] = not entry.gone and entry or nil
      assert(entry.gone or type(entry.state_a) == "table" and type(entry.state_b) == "table")
      if entry.undo then journal.settled[entry.undo .. "/" .. entry.row] = true end
    end
  end
  local problem
  file, problem = io.open(path, applies and "a+" or "r")
  if not file and applies then refuse(problem, "name a file that can be written") end
  if applies and file and not file:lock() then
    error({ code = "busy", message = ("sync: another run is working with %s"):format(path), hint = "wait until it has ended" }, 0)
  end
  for line in file and file:lines "L" or function() end do
    journal.lines = journal.lines + 1
    is_cut = line:sub(-1) ~= "\n"
    local ok, entry = pcall(json.decode, line)
    local is_taken, refusal
    if ok and type(entry) == "table" then is_taken, refusal = pcall(take, entry) end
    if type(refusal) == "table" and refusal.code == "usage" then error(refusal, 0) end
    -- A run that was killed may have left half a line, also of the first one.
    local start, text = '{"salt":"', line:gsub("\n$", "")
    if journal.lines == 1 and not is_journal and text:sub(1, #start) ~= start:sub(1, #text) then
      refuse(path .. " is not a journal of sync", "name a new file for these two, such as home.sync")
    end
    if not is_taken then b2c.log.warn(("%s:%d cannot be read, and is left out"):format(path, journal.lines)) end
  end
  for _, entry in pairs(known) do
    journal.enter { a = entry.a, b = entry.b, state_a = entry.state_a, state_b = entry.state_b }
  end
  if not applies and file then
    file:close()
    file = nil
  end
  -- The next line must not continue half a line.
  if is_cut and file then assert(file:write "\n") end
  if not salt then
    salt = b2c.jose.hash(table.concat { path, os.time(), tostring(math.random(0)), tostring({}) }):gsub("[^%w]", "")
    journal.record { sides = { a.word, b.word }, salt = salt }
  end
end

return journal
