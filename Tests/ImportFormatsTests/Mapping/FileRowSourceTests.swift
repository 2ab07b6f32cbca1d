import Core
import HostLoop
import ImportFormats
import JSON
import TaskAPI
import TestSupport
import Testing

@HostActor @Suite struct FileRowSourceTests {
  struct Example: CustomTestStringConvertible, Sendable {
    var name: String
    var text: String
    var map: String?
    var summary: String
    var drafts: [RowDraft]
    var testDescription: String { "\(name): \(summary)" }

    init(_ name: String, _ text: String, map: String? = nil, _ summary: String, _ drafts: [RowDraft]) {
      self.name = name
      self.text = text
      self.map = map
      self.summary = summary
      self.drafts = drafts
    }
  }

  private nonisolated static func foreign(_ reason: String, _ text: String) -> RowDraft {
    .unusable(code: "invalid_value", reason: "\(reason); --as-is (as_is = true in a script) imports it", text: text)
  }

  /// The task with the name that its source has for it.
  private nonisolated static func named(_ name: String, _ draft: TaskDraft) -> TaskDraft {
    var draft = draft
    draft.sourceID = name
    return draft
  }

  nonisolated static let guessed = [
    Example(
      "tasks.csv", "Id,Title,Due,Done\n7,Milk,2027-01-31,yes\n8,Bread,,no\n9,Eggs,2027-01-31T09:00:00+01:00,\n",
      "text from column \"Title\", completed from \"Done\", due from \"Due\", source_id from \"Id\"",
      [
        .task(named("7", TaskDraft(text: "Milk", fields: ["completed": true, "due": "2027-01-31"]))),
        .task(named("8", TaskDraft(text: "Bread"))),
        .task(named("9", TaskDraft(text: "Eggs", fields: ["due": "2027-01-31T08:00:00Z"]))),
      ]),
    Example(
      "tasks.csv", "Title,Due Date,Prio,Tags,Notes\nMilk,tomorrow,,,\nBread,,high,a; b,c\nEggs,,top,,\n",
      "text from column \"Title\", notes from \"Notes\", due from \"Due Date\", priority from \"Prio\", labels from \"Tags\"",
      [
        .unusable(
          code: "bad_time",
          reason: "\"Due Date\": due: 'tomorrow' is not a date; write a date as 2027-01-31, a time as "
            + "2027-01-31T08:00:00Z or 2027-01-31T09:00[Europe/Berlin]", text: "Milk"),
        .task(TaskDraft(text: "Bread", fields: ["priority": 1, "labels": ["a", "b"], "notes": "c"])),
        .unusable(
          code: "invalid_value",
          reason:
            "\"Prio\": priority: expected a number from 1, the highest, to 9, got \"top\"; --values priority:top=NUMBER "
            + "says what it means", text: "Eggs"),
      ]),
    Example(
      "tasks.csv", "Text,Title,isCompleted\nMilk,a,maybe\n \t,b,1\n",
      "text from column \"Text\", completed from \"isCompleted\"; left out: \"Title\"",
      [
        .unusable(
          code: "invalid_value",
          reason: "\"isCompleted\" is \"maybe\", expected yes or no, done or open, true or false; --values "
            + "completed:maybe=true or =false says what it means", text: "Milk"),
        .unusable(code: "empty_text", reason: "the text is empty", text: " \t"),
      ]),
    // Asana has no column for the state; a state that says something counts more than the time.
    Example(
      "asana.csv", "Task ID,Completed At,Name\n1,2026-01-09,Milk\n2,,Bread\n",
      "text from column \"Name\", completed_at from \"Completed At\", source_id from \"Task ID\"",
      [
        .task(named("1", TaskDraft(text: "Milk", fields: ["completed": true, "completed_at": "2026-01-09"]))),
        .task(named("2", TaskDraft(text: "Bread"))),
      ]),
    Example(
      "tasks.csv", "Name,Status,Completion Date\nMilk,Open,2026-01-09\nBread,,2026-01-09\n",
      "text from column \"Name\", completed from \"Status\", completed_at from \"Completion Date\"",
      [
        .unusable(
          code: "invalid_value",
          reason:
            "\"Status\" is \"Open\" and \"Completion Date\" is \"2026-01-09\", so that nobody knows whether the task is done; "
            + "--map 'text=Name,completed=Status,completed_at=Completion Date' decides by the first", text: "Milk"),
        .task(TaskDraft(text: "Bread", fields: ["completed": true, "completed_at": "2026-01-09"])),
      ]),
    Example(
      "tasks.json",
      #"[{"title":"Milk","closedAt":"2026-01-09"},{"title":"Bread","closedAt":null},{"title":"Eggs","closedAt":"0001-01-01T00:00:00Z"}]"#,
      "text from member \"title\", completed_at from \"closedAt\"",
      [
        .task(TaskDraft(text: "Milk", fields: ["completed": true, "completed_at": "2026-01-09"])),
        .task(TaskDraft(text: "Bread")), .task(TaskDraft(text: "Eggs")),
      ]),
    // Outlook writes shares from 0 to 1, other programs percentages.
    Example(
      "tasks.csv", "Subject,% Complete\nMilk,1\nBread,0.5\nEggs,100%\nTea,99\nSalt,\n",
      "text from column \"Subject\", completed from \"% Complete\"",
      [
        .task(TaskDraft(text: "Milk", fields: ["completed": true])), .task(TaskDraft(text: "Bread")),
        .task(TaskDraft(text: "Eggs", fields: ["completed": true])), .task(TaskDraft(text: "Tea")),
        .task(TaskDraft(text: "Salt")),
      ]),
    Example(
      "tasks.json", #"[{"title":"Milk","percent_done":1.0},{"title":"Bread","percent_done":0}]"#,
      "text from member \"title\", completed from \"percent_done\"",
      [.task(TaskDraft(text: "Milk", fields: ["completed": true])), .task(TaskDraft(text: "Bread"))]),
    Example("tasks.csv", "Anything\nMilk\n", "text from column \"Anything\"", [.task(TaskDraft(text: "Milk"))]),
    Example(
      "tasks.csv", "Text,Done,Status,% Complete\nMilk,x,done,100\nBread,,open,\n",
      "text from column \"Text\", completed from \"Done\", \"Status\", \"% Complete\"",
      [.task(TaskDraft(text: "Milk", fields: ["completed": true])), .task(TaskDraft(text: "Bread"))]),
    // A column with other words is left out beside a column of states.
    Example(
      "tasks.csv", "Text,Done,Status\nMilk,x,at home\n",
      "text from column \"Text\", completed from \"Done\"; left out: \"Status\"",
      [.task(TaskDraft(text: "Milk", fields: ["completed": true]))]),
    Example(
      "jira.csv", "Summary,Description,Labels,Labels,Comment,Comment\nMilk,cold,home,shop,,\nBread,,,home,a,b\n",
      "text from column \"Summary\", notes from \"Comment\", labels from \"Labels\"; left out: \"Description\"",
      [
        .task(TaskDraft(text: "Milk", fields: ["labels": ["home", "shop"]])),
        .task(TaskDraft(text: "Bread", fields: ["labels": ["home"], "notes": "a\nb"])),
      ]),
    Example(
      "tasks.csv", "Title,Description,Content\nMilk,two litres,\nBread,,\n",
      "text from column \"Title\", notes from \"Description\"; left out: \"Content\"",
      [.task(TaskDraft(text: "Milk", fields: ["notes": "two litres"])), .task(TaskDraft(text: "Bread"))]),
    Example(
      "tasks.csv", "Text,Cost,Note\nMilk,2,\nTotal,2,\nText,Cost,Note\nBread,3,\nTitle,Due,Done\nEggs,2027-01-31,no\n",
      "text from column \"Text\", notes from \"Note\"; left out: \"Cost\"",
      [
        .task(TaskDraft(text: "Milk")), foreign("it looks like a sum: \"Total\", \"2\"", "Total"),
        foreign("it repeats the names of the columns", "Text"), .task(TaskDraft(text: "Bread")),
        foreign("it has names of columns: \"Title\", \"Due\", \"Done\"", "Title"),
        foreign("it stands below line 6, which has the names of columns of another table", "Eggs"),
      ]),
    Example(
      "tasks.csv", "Text,Due\nMilk\n", "text from column \"Text\", due from \"Due\"",
      [.unusable(code: "ragged_row", reason: "this row has 1 field, expected 2 as in the header", text: "Milk")]),
    Example(
      "tasks.json",
      #"[{"_id":1,"Text":"Milk","completed":true,"date":"x"},{"Text":7},{"Text":[1]},{"owner":"o"},"Bread"]"#,
      "text from member \"Text\", completed from \"completed\", source_id from \"_id\"; left out: \"date\", \"owner\"",
      [
        .task(named("1", TaskDraft(text: "Milk", fields: ["completed": true]))), .task(TaskDraft(text: "7")),
        .unusable(code: "invalid_value", reason: "\"Text\" is an array, expected a text", text: ""),
        .unusable(code: "empty_text", reason: "there is no \"Text\"", text: ""), .task(TaskDraft(text: "Bread")),
      ]),
    Example(
      "tasks.ndjson", "{\"title\":\"Milk\",\"done\":0}\n{\"title\":\"Bread\",\"done\":\"2026-11-30T10:00\"}\noops\n",
      "text from member \"title\", completed from \"done\"",
      [
        .task(TaskDraft(text: "Milk")), .task(TaskDraft(text: "Bread", fields: ["completed": true])),
        .unusable(
          code: "invalid_json", reason: "not valid JSON at column 4: invalid token near 'oops'", text: "oops"),
      ]),
    Example(
      "tasks.txt", "Milk\nBread\n", "each line is a task",
      [.task(TaskDraft(text: "Milk")), .task(TaskDraft(text: "Bread"))]),
    Example(
      "todo.txt", "x 2026-11-20 Milk\n(A) Bread +Home due:tomorrow\n",
      "text from each line, completed where it begins with \"x \", and due, start, priority and labels",
      [
        .task(TaskDraft(text: "2026-11-20 Milk", fields: ["completed": true, "completed_at": "2026-11-20"])),
        .task(TaskDraft(text: "(A) Bread +Home due:tomorrow", fields: ["priority": 1, "labels": ["Home"]])),
      ]),
    Example(
      "export.json",
      #"[{"uuid":"1","description":"Milk","status":"pending","tags":["a"]},"#
        + #"{"uuid":"2","description":"Bread","status":"completed"},{"uuid":"3","description":"x","status":"deleted"},"#
        + #"{"uuid":"4","description":"y","status":"recurring"},{"uuid":"5","description":"z","status":"waiting"}]"#,
      "text from member \"description\", completed from \"status\", labels from \"tags\"; left out: \"uuid\"; "
        + "tasks with the status \"deleted\" or \"recurring\" are left out",
      [
        .task(TaskDraft(text: "Milk", fields: ["labels": ["a"]])),
        .task(TaskDraft(text: "Bread", fields: ["completed": true])), .skipped, .skipped, .task(TaskDraft(text: "z")),
      ]),
  ]

  nonisolated static let mapped = [
    Example(
      "tasks.csv", "Title,Due,Done,Note\nMilk,2027-01-31,x,\n", map: "text=title,due=Due,note=Note",
      "text from column \"Title\", due from \"Due\", note from \"Note\"; left out: \"Done\"",
      [.task(TaskDraft(text: "Milk", fields: ["due": "2027-01-31"]))]),
    Example(
      "tasks.csv", "What,State\nMilk,closed\nBread,new\n", map: "text=What,Completed=State",
      "text from column \"What\", completed from \"State\"",
      [.task(TaskDraft(text: "Milk", fields: ["completed": true])), .task(TaskDraft(text: "Bread"))]),
    Example(
      "tasks.json", #"[{"name":"Milk","priority":3,"tags":["a"],"due":null},{"name":"Bread","late":true}]"#,
      map: "text=name,Priority=priority,Tags=tags,due=due,late=late,zzz=zzz",
      "text from member \"name\", priority from \"priority\", Tags from \"tags\", due from \"due\", late from \"late\", "
        + "zzz from \"zzz\"; no \"zzz\" in the first objects; in \"priority\", 1 is the highest",
      [
        .task(TaskDraft(text: "Milk", fields: ["priority": 3, "Tags": ["a"]])),
        .task(TaskDraft(text: "Bread", fields: ["late": true])),
      ]),
    Example(
      "todo.txt", "(A) Milk due:2027-01-31\n", map: "text=description,Due=due,Priority=priority",
      "text from member \"description\", due from \"due\", priority from \"priority\"; left out: \"completed\", \"text\"",
      [.task(TaskDraft(text: "Milk due:2027-01-31", fields: ["due": "2027-01-31", "priority": 1]))]),
  ]

  @Test(arguments: guessed + mapped) func drafts(_ example: Example) async throws {
    let file = TemporaryFile(example.text, name: example.name)
    let source = try FileRowSource(
      RecordReaders.open(path: file.path), mapping: example.map.map { try RowMapping(parsing: $0) })
    #expect(source.summary == example.summary)
    var drafts: [RowDraft] = []
    while let record = try await source.next() { drafts.append(try await source.draft(of: record)) }
    #expect(drafts == example.drafts)
  }

  @Test(
    arguments: [
      (
        "tasks.csv", "Text,Due,Text\n", nil, "duplicate_column",
        "FILE: the columns 1 and 3 have the same name, \"Text\" "
          + "(rename one of them in the file; the text of a task comes from one column)"
      ),
      (
        "tasks.csv", "\"Due, or not\",When\n", nil, "missing_column",
        "FILE has no column called \"Text\": its columns are \"Due, or not\", \"When\" "
          + "(say which has the text: --map text=COLUMN, or in a script map = { text = \"COLUMN\" })"
      ),
      (
        "tasks.tsv", "Text;Due\n", nil, "missing_column",
        "FILE has a single column, called \"Text;Due\" (is the separator ';'?)"
      ),
      (
        "tasks.csv", "Title,Due\n", "text=Titel", "missing_column",
        "FILE has no column \"Titel\": its columns are \"Title\", \"Due\" (did you mean \"Title\"?)"
      ),
      (
        "tasks.csv", "Title,Due\n", "text=Title,date=When", "missing_column",
        "FILE has no column \"When\": its columns are \"Title\", \"Due\""
      ),
      (
        "tasks.json", #"[{"what":7,"x":1}]"#, nil, "missing_column",
        "FILE has no member called \"Text\": its members are \"what\", \"x\" "
          + "(say which has the text: --map text=COLUMN, or in a script map = { text = \"COLUMN\" })"
      ),
      (
        "tasks.ndjson", #"{"what":"a","x":1}"#, "text=wat", "missing_column",
        "FILE has no member \"wat\": its members are \"what\", \"x\" (did you mean \"what\"?)"
      ),
      (
        "tasks.txt", "Milk\n", "text=Title", "invalid_map",
        "FILE has neither columns nor members, so a map has nothing to take from it (each task's text is what there is)"
      ),
    ] as [(String, String, String?, String, String)])
  func says(name: String, text: String, map: String?, code: String, message: String) throws {
    let file = TemporaryFile(text, name: name)
    let error = #expect(throws: ImportError.self) {
      try FileRowSource(RecordReaders.open(path: file.path), mapping: map.map { try RowMapping(parsing: $0) })
    }
    #expect(error?.code == code)
    #expect(error?.description == message.replacing("FILE", with: file.path))
  }

  /// The first records are imported even if an error follows them.
  @Test func troubleComesWhereItIs() async throws {
    let file = TemporaryFile(#"[{"text":"Milk"},{"text":"Bread"},{"te"#, name: "tasks.json")
    let source = try FileRowSource(RecordReaders.open(path: file.path))
    #expect(try await source.next()?.number == 1)
    #expect(try await source.next()?.number == 2)
    let error = await #expect(throws: ImportError.self) { try await source.next() }
    #expect(error?.code == "invalid_json")
  }
}
