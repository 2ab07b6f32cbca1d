import CommandLineSupport
import Foundation
import Testing

/// Lists by their names: in imports, exports and syncs.
extension TaskServiceTests {
  /// Runs lines of bash with a service. `run` is the program with all services at the address of this one, `script` runs Lua.
  private func run(_ kind: String, _ lines: String, others: [String] = []) throws -> Program.Result {
    let program = try program(for: kind)
    for name in others { #expect(try program.run("secrets", "set", name, input: "stand-in-token").status == 0) }
    let script = """
      run="$0 --quiet --local=data --set services.caldav.url=$SERVICE_URL --set services.caldav.username=alice"
      for name in todoist microsoft github; do run="$run --set services.$name.url=$SERVICE_URL --set services.$name.secret=$name"; done
      script() { $run -A -e "local b2c = require 'b2c' local tasks, http = b2c.tasks, b2c.http b2c.tenant.sign_in() $1"; }
      control() { script "http.post(os.getenv 'SERVICE_URL' .. '/_control', { json = $1 })"; }
      lists() { script "for _, list in ipairs(tasks.lists { service = '$1' }) do io.write(list.name, ' ') end print()"; }
      \(lines)
      """
    return try run(with: kind, program, ["/bin/bash", "-c", script, Program.binary.path])
  }

  @Test(
    "a list that is not there ends an import before its first request; a later one fails its row; --make-lists makes it once"
  )
  func missingLists() throws {
    let result = try run(
      "todoist",
      """
      printf 'Text,List Name\\nOne,Inbox\\nTwo,Werk\\n' > first.csv
      $run import first.csv --service todoist; echo "status $?"
      $run import first.csv --service todoist --dry-run; echo "status $?"
      script "print(#tasks.list { service = 'todoist' })"
      { echo Text,List Name; for i in {1..600}; do echo "row $i,Home"; done; echo "late,Werk"; } > late.csv
      $run import late.csv --service todoist --journal none --failed none; echo "status $?"
      $run import first.csv --service todoist --make-lists --progress json; echo "status $?"
      lists todoist
      """)
    #expect(
      result.errors.contains(
        """
        b2c-run: row 2 (line 3): todoist has no list 'Werk'; until then: 0 added, 1 not sent
          hint: nothing was sent; its lists are 'Inbox', 'Home'; --make-lists (make_lists = true in a script) makes the lists that are missing
        """), "\(result)")
    let late =
      "row 601 (line 602) was not added: todoist has no list 'Werk'; its lists are 'Inbox', 'Home'; --make-lists "
      + "(make_lists = true in a script) makes the lists that are missing"
    #expect(result.errors.contains(late), "\(result)")
    #expect(result.output.contains("row 2 (line 3) fails: todoist has no list 'Werk'"), "\(result)")
    let lines = result.output.split(separator: "\n")
    #expect(lines.filter { $0.hasPrefix("status") } == ["status 2", "status 5", "status 5", "status 0"], "\(result)")
    #expect(lines.contains("0") && lines.last == "Inbox Home Werk ", "\(result)")
  }

  @Test("a list that may not be made, and a service without lists to make, end an import before its first request")
  func refusedLists() throws {
    let script = """
      printf 'Text,List Name\\nOne,Work\\n' > in.csv
      control '{ refuse_lists = { "Work" } }'
      $run import in.csv --service KIND --make-lists; echo "status $?"
      control '{}'
      $run import in.csv --service KIND --make-lists; echo "status $?"
      lists KIND
      """
    for (kind, reason) in [
      ("todoist", "project_add was refused: Maximum number of projects reached"),
      ("microsoft", "was answered 403: Access is denied."),
    ] {
      let result = try run(kind, script.replacing("KIND", with: kind))
      #expect(result.errors.contains("row 1 (line 2): the list 'Work' cannot be made: \(kind): "), "\(result)")
      #expect(result.errors.contains(reason), "\(result)")
      #expect(result.output.hasPrefix("status 2\n") && result.output.contains("status 0\n"), "\(result)")
      #expect(result.output.hasSuffix("Home Work \n"), "\(result)")
    }
    let none = try run(
      "github",
      """
      printf 'Text,List Name\\nOne,Work\\n' > in.csv
      $run --set services.github.list=alice/tasks import in.csv --service github --make-lists; echo "status $?"
      """)
    #expect(none.errors.contains("row 1 (line 2): github has no list 'Work'"), "\(none)")
    #expect(none.errors.contains("nothing was sent; its lists are 'alice/tasks'"), "\(none)")
    #expect(none.errors.contains("make_lists") == false && none.output == "status 2\n", "\(none)")
  }

  @Test("two lists with one name are told with their IDs; an export with IDs tells them apart at the same service")
  func ambiguousLists() throws {
    let result = try run(
      "microsoft",
      """
      script "local auth = { bearer = b2c.secrets.get 'microsoft' }
        for _ = 1, 2 do http.post(os.getenv 'SERVICE_URL' .. '/me/todo/lists', { json = { displayName = 'Twin' }, auth = auth }) end
        for _, id in ipairs { 'l3', 'l4' } do tasks.add({ text = id, list = id }, { service = 'microsoft' }) end"
      $run tasks add One --list twin --service microsoft
      $run export all.ndjson --service microsoft
      $run import all.ndjson --service microsoft --progress none
      script "for _, id in ipairs { 'l3', 'l4' } do print(#tasks.list { list = id, text = id, service = 'microsoft' }) end"
      """)
    #expect(
      result.errors.contains(
        """
        microsoft has 2 lists 'Twin'
          hint: name the ID of the list, l3 or l4, or give one of the lists another name
        """), "\(result)")
    #expect(result.output.hasSuffix("2\n2\n"), "\(result)")
  }

  @Test("a list whose making gets no answer is there once after the next run")
  func lostAnswer() throws {
    for kind in ["todoist", "microsoft"] {
      let result = try run(
        kind,
        """
        printf 'Text,List Name\\nOne,Work\\nTwo,Work\\n' > in.csv
        control '{ drop_after = 3 }'
        $run import in.csv --service \(kind) --make-lists --retries 1; echo "status $?"
        control '{}'
        $run import in.csv --service \(kind) --make-lists; echo "status $?"
        lists \(kind)
        script "print(#tasks.list { service = '\(kind)' })"
        """)
      #expect(result.output.contains("status 0\n"), "\(result)")
      #expect(result.output.hasSuffix("Home Work \n2\n"), "\(result)")
    }
  }

  @Test("an export carries lists by name and parents to another service, in each format that holds them")
  func moved() throws {
    let result = try run(
      "radicale",
      """
      script "local whole = tasks.add { text = 'Whole', list = 'Garden' }
        tasks.add { text = 'Part', list = 'Garden', parent = tostring(whole.id) } tasks.add 'Free'"
      $run export all.csv; $run export all.ndjson; $run export all.ics
      $run export all.todo.txt; $run export all.json --format taskwarrior
      head -3 all.csv; head -1 all.ndjson; grep -E 'UID|RELATED|LIST' all.ics; grep -c '"project":"Garden"' all.json
      for file in all.csv all.ndjson all.ics; do
        $run import $file --service caldav --make-lists --progress none >/dev/null; echo "status $?"
      done
      script "print(#tasks.list { list = 'Garden', service = 'caldav' }, #tasks.list { list = 'Home', service = 'caldav' })"
      """)
    #expect(
      result.output.hasPrefix(
        """
        id,text,completed,owner,date,notes,completed_at,due,start,priority,labels,list,parent,recurrence,url,key,list_name
        """), "\(result)")
    for part in [
      ",Garden,,,,,Garden\n", ",Garden,1,,,,Garden\n", #""list":"Garden","list_name":"Garden""#, "UID:b2c-run-1",
      "RELATED-TO:b2c-run-1", "X-B2C-RUN-LIST:Garden", "status 0\nstatus 0\nstatus 0\n6\t3\n",
    ] { #expect(result.output.contains(part), "\(part): \(result)") }
    for lost in [
      "todotxt does not hold list of 2 tasks, parent of 1 task", "taskwarrior does not hold parent of 1 task",
    ] { #expect(result.errors.contains(lost), "\(lost): \(result)") }
  }

  @Test(
    "sync carries parents and lists, makes lists, moves tasks and removes sub-tasks from their parents before they go",
    arguments: ["todoist", "radicale", "microsoft"])
  func syncLinks(kind: String) throws {
    let service = kind == "radicale" ? "caldav" : kind
    let result = try run(
      kind,
      """
      script "local whole = tasks.add { text = 'Whole', list = 'Work' }
        local part = tasks.add { text = 'Part', parent = tostring(whole.id), list = 'Work' }
        tasks.add { text = 'Piece', parent = tostring(part.id), list = 'Work' } tasks.add 'Free'"
      sync="$run sync tasks \(service) --journal home.sync"
      show() { script "
        for _, at in ipairs { 'tasks', '\(service)' } do
          local names, all, lines = {}, {}, {}
          for _, list in ipairs(tasks.lists { service = at }) do names[list.id] = not list.default and list.name or nil end
          for _, task in ipairs(tasks.list { service = at }) do all[tostring(task.id)] = task end
          for _, task in pairs(all) do
            local parent = task.parent and all[task.parent]
            lines[#lines + 1] = task.text .. (parent and ' of ' .. parent.text or '') .. ' in ' .. (names[task.list] or '-')
          end
          table.sort(lines)
          print(table.concat(lines, ', '))
        end"; }
      change() { script "for _, task in ipairs(tasks.list { service = '$1' }) do if task.text == '$2' then tasks.update(task, $3, { service = '$1' }) end end"; }
      echo shown; $sync --make-lists; $sync
      echo applied; $sync --make-lists --apply; show; $sync
      echo changed; change \(service) Piece '{ parent = false }'; change tasks Free '{ list = [[Work]] }'
      $sync --apply; show; $sync
      echo both; change \(service) Part '{ parent = false }'
      script "local all = {} for _, task in ipairs(tasks.list()) do all[task.text] = task end
        tasks.update(all.Part, { parent = tostring(all.Free.id) })"
      $sync --apply --prefer a; show
      echo removed; script "for _, task in ipairs(tasks.list()) do if task.text == 'Free' then tasks.remove(task) end end"
      $sync --apply; show; $sync
      """)
    let plan = "+ b  Whole\n+ b  Part\n+ b  Piece\n+ b  Free\n4 new, 0 changed, 0 removed, 0 conflicts, 0 failed\n"
    let quiet = "0 new, 0 changed, 0 removed, 0 conflicts, 0 failed\n"
    let isMicrosoft = kind == "microsoft"
    // The second of the three lines is how b shows the tasks of a.
    func tasks(_ a: String, _ b: String? = nil) -> String { "\(a)\n\(b ?? a)\n" }
    let note = "nothing was changed; --apply makes these changes\n"
    let start = "shown\n\(plan)\(note)\(plan)\(note)applied\n\(plan)"
    #expect(result.output.hasPrefix(start), "\(result)")
    let whole = "Free in -, Part of Whole in Work, Piece of Part in Work, Whole in Work"
    if isMicrosoft {
      #expect(
        result.output.contains(tasks(whole, "Free in -, Part in Work, Piece in Work, Whole in Work") + quiet),
        "\(result)")
      for told in [
        "b (microsoft) does not keep parent of 2 tasks", "b (microsoft) cannot change the list of 1 task",
      ] { #expect(result.errors.contains(told), "\(result)") }
    } else {
      let changed = "Free in Work, Part of Whole in Work, Piece in Work, Whole in Work"
      let both = "Free in Work, Part of Free in Work, Piece in Work, Whole in Work"
      let removed = "Part in Work, Piece in Work, Whole in Work"
      for part in [
        tasks(whole) + quiet,
        "changed\n~ b  Free  (list)\n~ a  Piece  (parent)\n0 new, 2 changed, 0 removed, 0 conflicts, 0 failed\n",
        tasks(changed) + quiet, "both\n~ b  Part  (parent)\n", tasks(both),
        "removed\n~ b  Part  (parent)\n- b  Free\n0 new, 1 changed, 1 removed, 0 conflicts, 0 failed\n",
        tasks(removed) + quiet,
      ] { #expect(result.output.contains(part), "\(part): \(result)") }
    }
    let told = "b (\(service)) has no list 'Work' for 3 tasks: they go to its usual list; --make-lists makes the list"
    #expect(result.errors.contains(told), "\(result)")
  }

  @Test("a plugin tells that it removes no tasks, and its key of a row is no field; a task that keeps keys has both")
  func declarations() throws {
    let program = try Program(flags: ["--trust-plugins", "--quiet"])
    try program.write(
      "plugins/own.lua",
      """
      local function service(fields, key)
        local made
        return { fields = fields, idempotency = "find", removes = false, open = function()
          return {
            lists = function() return { { id = "l", default = true } } end,
            create = function(batch)
              made = { id = 1, text = batch[1].task.text, [key] = batch[1].key, key = batch[1].task.key or batch[1].key }
              return { { error = { code = "unknown", message = "no answer" } } }
            end,
            find_all = function() return { made } end, pages = function() return { made } end, get = function() return made end,
            update = function(task, changes) print(task.key ~= nil, task[key] ~= nil) task.text = changes.text return task end,
            delete = function() error({ code = "cannot_change", message = "tasks stay" }, 0) end,
          }
        end }
      end
      return { services = { old = service({ "text" }, "key"), new = service({ "text", "key" }, "row_key") } }
      """)
    try program.write(
      "in.lua",
      """
      local tasks = require "b2c".tasks
      for _, name in ipairs { "old", "new" } do
        local rows = { { text = "one", key = "4711" } }
        local report = tasks.import(function() return table.remove(rows) end,
          { service = name, journal = false, settle_after = 0, progress = false })
        local task = tasks.list({ service = name })[1]
        print(report.added, task.key, tasks.update(task, { text = "two" }, { service = name }).text, tasks.fields({ service = name }).removes)
        print(select(2, pcall(tasks.remove, task, { service = name })).code)
      end
      """)
    let result = try program.run("in.lua")
    #expect(
      result.output == """
        true\ttrue
        1\tnil\ttwo\tfalse
        cannot_change
        true\ttrue
        1\t4711\ttwo\tfalse
        cannot_change

        """, "\(result)")
  }
}
