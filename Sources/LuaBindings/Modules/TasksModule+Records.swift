import Lua

extension LuaType {
  /// A task to add: a text, or a table with a text.
  static let newTask = LuaType.either([.string, .record(.newTask)])
}

extension LuaRecord {
  /// A task as the API has it, whatever the server's spelling.
  static let task = LuaRecord(
    "task", "A task, with the same field names for every server.",
    Parameter("id", .any, optional: true, "The ID on the server: a number or a string."),
    Parameter("text", .string, "The text of the task."),
    Parameter("owner", .string, optional: true, "The owner."),
    Parameter("completed", .boolean, "True if the task is done."),
    Parameter("date", .string, optional: true, "A date, as the server sends it."),
    Parameter("raw", .map(of: .any), optional: true, "All fields, by the server's names."))

  /// A task for `tasks.add`, or from a `map`.
  static let newTask = LuaRecord(
    "new task", "A task to add.",
    Parameter("text", .string, "The text of the task."),
    Parameter("owner", .string, optional: true, "The owner."),
    Parameter("completed", .boolean, optional: true, "True if the task is done."),
    Parameter("date", .string, optional: true, "A date, as the server takes it."), others: .any)

  /// The columns of a file by the fields of tasks.
  static let columnMap = LuaRecord(
    "map of columns", "The columns of a file, by the names of the task's fields.",
    Parameter("text", .string, optional: true, "The column of the text."), others: .string)

  /// The result of `tasks.export`.
  static let exportReport = LuaRecord(
    "export report", "The result of an export.",
    Parameter("tasks", .integer, "The number of tasks."),
    Parameter("bytes", .integer, "The number of bytes."),
    Parameter("seconds", .number, "The duration in seconds."),
    Parameter("path", .string, "The file."),
    Parameter("format", .string, "The format."))

  /// The result of `tasks.import`; `tostring` says it in words.
  static let importReport = LuaRecord(
    "import report", "The result of an import, in rows. tostring returns it as text.",
    Parameter("total", .integer, "All rows."),
    Parameter("added", .integer, "The rows that are tasks now, by this run or an earlier one."),
    Parameter("added_now", .integer, "The rows that this run added."),
    Parameter("skipped", .integer, "The rows skipped by map, or because the task exists already."),
    Parameter("failed", .integer, "The rows that were not added."),
    Parameter("unsettled", .integer, "The unsettled rows: the server may have added them."),
    Parameter("unsent", .integer, "The rows that were not sent, because the import ended."),
    Parameter("resumed_at", .integer, optional: true, "The row at which the import resumed after an earlier run."),
    Parameter("seconds", .number, "The duration in seconds."),
    Parameter("failures", .list(of: .record(rowFailure)), "The first thousand failures of this run."),
    Parameter("journal", .string, optional: true, "The file of the journal."),
    Parameter("failed_rows", .string, optional: true, "The file with the rows that failed."))

  /// The argument of `on_row_failed`.
  static let rowFailure = LuaRecord(
    "row failure", "A row that failed, or that may have been added.",
    Parameter("row", .integer, "The number of the row."),
    Parameter("line", .integer, optional: true, "The line of the row in the file."),
    Parameter("reason", .string, "The reason in a sentence."),
    Parameter("code", .string, "The code of the reason, which never changes."),
    Parameter("status", .integer, optional: true, "The HTTP status of the answer."),
    Parameter("text", .string, optional: true, "The task's text."),
    Parameter("unsettled", .boolean, "True if the row may have been added nevertheless."),
    Parameter("original", .any, optional: true, "The row as it was read."))

  /// The range of the number of requests at a time.
  static let concurrency = LuaRecord(
    "range of requests", "The number of concurrent requests.",
    Parameter("min", .integer, optional: true, "The minimum; 1 if not given."),
    Parameter("max", .integer, "The maximum."))
}

extension TasksModule {
  static let notes = """
    All functions have the option `account`. If it is not given, they use the current account.

    The page [Importing task lists](Import.md) describes imports: formats, failed rows, the journal, and unsettled rows. If a
    row fails or is unsettled, the exit status of the script is 5.
    """

  static let example = """
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
