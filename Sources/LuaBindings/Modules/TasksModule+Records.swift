import Lua

extension LuaType {
  /// What can be added: a text, or a table with one.
  static let newTask = LuaType.either([.string, .record(.newTask)])
}

extension LuaRecord {
  /// A task as the API has it, whatever the server's spelling.
  static let task = LuaRecord(
    "task", "A task, whatever the server's spelling of its fields.",
    [
      Parameter("id", .any, optional: true, "What the server knows it by: a number or a string."),
      Parameter("text", .string, "What is to be done."),
      Parameter("owner", .string, optional: true, "Whose it is."),
      Parameter("completed", .boolean, "Whether it is done."),
      Parameter("date", .string, optional: true, "A date of it, as the server has it."),
      Parameter("raw", .map(of: .any), optional: true, "All fields, as the server names them."),
    ])

  /// What `tasks.add` takes, and a `map` makes of a row.
  static let newTask = LuaRecord(
    "new task", "What is to be added.",
    [
      Parameter("text", .string, "What is to be done."),
      Parameter("owner", .string, optional: true, "Whose it is."),
      Parameter("completed", .boolean, optional: true, "Whether it is done."),
      Parameter("date", .string, optional: true, "A date, as the server takes it."),
    ], others: .any)

  /// Which columns of a file become which fields of tasks.
  static let columnMap = LuaRecord(
    "map of columns", "Names of columns by names of fields.",
    [Parameter("text", .string, optional: true, "The column of the text.")], others: .string)

  /// What `tasks.export` returns.
  static let exportReport = LuaRecord(
    "export report", "What an export has done.",
    [
      Parameter("tasks", .integer, "How many tasks were written."),
      Parameter("bytes", .integer, "How many bytes."),
      Parameter("seconds", .number, "How long it took."),
      Parameter("path", .string, "The file."),
      Parameter("format", .string, "What it is."),
    ])

  /// What `tasks.import` returns; `tostring` says it in words.
  static let importReport = LuaRecord(
    "import report", "What an import has done, in rows. tostring says it in words.",
    [
      Parameter("total", .integer, "All of them."),
      Parameter("added", .integer, "Those of which there are tasks now, by this run or an earlier one."),
      Parameter("added_now", .integer, "Of these, those that this run added."),
      Parameter("skipped", .integer, "Those left out, by map, or because there is a task already."),
      Parameter("failed", .integer, "Those that were not added."),
      Parameter("unsettled", .integer, "Those that may have been added, and nobody can tell."),
      Parameter("unsent", .integer, "Those that the import ended before."),
      Parameter("resumed_at", .integer, optional: true, "The row at which it went on after an earlier run."),
      Parameter("seconds", .number, "How long it took."),
      Parameter("failures", .list(of: .record(rowFailure)), "The first thousand of this run."),
      Parameter("journal", .string, optional: true, "The file that keeps what was done."),
      Parameter("failed_rows", .string, optional: true, "The file with the rows that failed."),
    ])

  /// What `on_row_failed` gets.
  static let rowFailure = LuaRecord(
    "row failure", "A row that failed, or of which nobody knows whether it was added.",
    [
      Parameter("row", .integer, "Its number."),
      Parameter("line", .integer, optional: true, "Its line of the file."),
      Parameter("reason", .string, "Why, in a sentence."),
      Parameter("code", .string, "Why, in a word that stays the same."),
      Parameter("status", .integer, optional: true, "The HTTP status of the answer."),
      Parameter("text", .string, optional: true, "The task's text."),
      Parameter("unsettled", .boolean, "Whether it may have been added all the same."),
      Parameter("original", .any, optional: true, "The row as it was read."),
    ])

  /// What can be said of requests that go out at once.
  static let concurrency = LuaRecord(
    "range of requests", "How many requests are under way at once.",
    [
      Parameter("min", .integer, optional: true, "At least; 1 if not given."),
      Parameter("max", .integer, "At most."),
    ])
}

extension ScriptHost {
  nonisolated static let tasksNotes = """
    All take the option `account` (an account): whose tasks; those of the current account if not given.

    [Import](Import.md) tells how an import goes: formats, what becomes of a row, failed rows, the journal, rows of unknown fate. A
    script that imports rows of which some fail or are unsettled ends with status 5.
    """

  nonisolated static let tasksExample = """
    local b2c = require "b2c"

    b2c.tenant.sign_in()

    local words = { "Buy milk", "", "Water the plants" }
    local position = 0
    local report = b2c.tasks.import(function()
      position = position + 1
      return words[position]
    end, {
      map = function(text) return text ~= "" and { text = text } or nil end,
    })
    assert(report.added == 2 and report.skipped == 1)

    for task in b2c.tasks.each() do
      print(task.id, task.text)
      b2c.tasks.remove(task)
    end
    """
}
