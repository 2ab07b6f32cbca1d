-- A file as a side of a sync: its rows become the tasks of the other side, by their keys. One direction: nothing is written into
-- the file.

local b2c = require "b2c"
local tasks, term = b2c.tasks, b2c.term
local journal = require "sync.journal"
local runs = require "sync.runs"

--- Calls a function of tasks. Errors about options name them as they were typed.
local function call(f, ...)
  local ok, result = pcall(f, ...)
  if ok then return result end
  local option, rest
  if type(result) == "table" then option, rest = tostring(result.message):match "^tasks%.%l+: option '([%w_]+)': (.*)" end
  if not option then error(result, 0) end
  error({ code = "usage", message = ("sync: --%s: %s"):format(option:gsub("_", "-"), rest), hint = result.hint }, 0)
end

--- Brings the tasks of a side into the state of a file, or shows that. Returns whether no row needs a look.
return function(path, at, options, refuse)
  if options.journal then
    journal.open({ word = "file:" .. path }, at, options.journal, options.apply, refuse)
  elseif options.undo then
    refuse("expected --journal FILE: it knows the last run", "b2c-run imports undo ID takes it back without one")
  end
  if options.undo then
    local was_one, is_complete = runs.undo({ at }, options.journal, options.apply)
    if not was_one then print "there is no run to take back" end
    return is_complete
  end
  local plan = options.plan
  if not (plan and options.apply) then
    plan = call(tasks.plan, path, at.options { key = options.key, delete_missing = true, many = options.many or nil, plan = options.plan,
      report = options.report, make_lists = options.make_lists or nil, width = term.size() })
    print(plan)
    if not options.apply then
      b2c.log.info "nothing was changed; --apply makes these changes"
      return plan.counts.conflict + plan.counts.refused == 0
    end
  end
  local result = call(tasks.apply, plan, at.options { progress = not term.is_tty() and "none" or nil })
  print(result)
  if options.journal then runs.finish({ b = result.id }, { b = result.id }) end
  return result.complete
end
