-- The lists of the two sides of a sync: a list of one side is the list of the other side with the same name.

local b2c = require "b2c"
local tasks = b2c.tasks

local lists = {}

local function plain(name) return (name:lower():gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")) end

--- Reads the lists of a side, by their keys. The key of a list is its name in lower case.
local function read(at)
  at.lists, at.keys = {}, {}
  for _, list in ipairs(tasks.lists(at.options())) do
    local key = plain(list.name)
    local known = at.lists[key]
    if known and not at.is_api then
      known.others = known.others or {}
      table.insert(known.others, list.id)
    else
      at.lists[key] = known or list
    end
    at.keys[list.id] = key
    if list.default then at.default = at.default or list end
  end
end

--- Reads the lists of both sides. The list of tasks that name none is the partner of the other side's, whatever their names are,
--- unless the other side has a list with its name: it has no key.
function lists.read(a, b)
  read(a)
  read(b)
  for at, other in pairs { [a] = b, [b] = a } do
    local key = at.default and plain(at.default.name)
    if key and not other.lists[key] then at.keys[at.default.id] = nil end
  end
end

--- The key of a task's list; nil for the list of tasks that name none.
function lists.key(at, task) return task.list and at.keys[tostring(task.list)] end

--- The list of a side with a key, as `tasks.add` takes it: nil if the side has none, false for none.
function lists.given(at, key)
  if not key then return at.default and at.default.id or at.is_api and false or nil end
  local list = at.lists[key]
  return list and list.id
end

--- The name of a list for people.
function lists.shown(at, key) return key and at.lists[key] and at.lists[key].name or "the usual list" end

local function make(at, key, name, applies)
  if at.is_api then
    -- A list of the task API is the name that its tasks have.
    at.lists[key], at.keys[name] = { id = name, name = name }, key
  elseif not applies then
    b2c.log.info(("%s (%s): the list '%s' would be made"):format(at.letter, at.word, name))
    at.lists[key] = { id = name, name = name }
  else
    local ok, made = pcall(tasks.make_list, name, at.options())
    if not ok then return type(made) == "table" and made.message or tostring(made) end
    b2c.log.info(("%s (%s): made the list '%s'"):format(at.letter, at.word, made.name))
    at.lists[key], at.keys[made.id] = made, key
  end
end

--- Makes the lists that the tasks of the other side need, or tells which are missing. Refuses lists with one name.
--- `failed` is called with a list that cannot be made, and the reason.
function lists.prepare(at, other, makes, applies, refuse, failed)
  local counts, keys = {}, {}
  for _, task in ipairs(other.order) do
    local key = lists.key(other, task)
    if key then
      if not counts[key] then keys[#keys + 1] = key end
      counts[key] = (counts[key] or 0) + 1
    end
  end
  table.sort(keys)
  for _, key in ipairs(keys) do
    local list, name = at.lists[key], other.lists[key].name
    for side, one in pairs { [at] = list, [other] = other.lists[key] } do
      if one.others then
        refuse(("%s (%s) has several lists '%s': %s, %s"):format(side.letter, side.word, one.name, one.id, table.concat(one.others, ", ")),
          "give them different names")
      end
    end
    if not list and (at.is_api or makes and at.makes_lists) then
      local problem = make(at, key, name, applies)
      if problem then failed(at, name, problem) end
    elseif not list then
      b2c.log.warn(("%s (%s) has no list '%s' for %d task%s: they go to its usual list%s"):format(at.letter, at.word, name, counts[key],
        counts[key] == 1 and "" or "s", at.makes_lists and "; --make-lists makes the list" or ""))
    end
  end
end

return lists
