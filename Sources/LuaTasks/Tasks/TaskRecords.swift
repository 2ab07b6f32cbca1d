package import Lua
import LuaKit

extension LuaType {
  static let newTask = LuaType.either([.string, .record(.newTask)])
}

extension LuaRecord {
  /// A task of a server.
  package static let task = LuaRecord(
    "task", "A task, with the same field names for every server.",
    .optional("id", .any, "The ID on the server: a number or a string."),
    Parameter("text", .string, "The text of the task."), .optional("owner", .string, "The owner."),
    Parameter("completed", .boolean, "True if the task is done."),
    .optional("date", .string, "The time of the last change, as the server sends it."),
    .optional("notes", .string, "More text."),
    .optional("completed_at", .string, "The time at which the task was done."),
    .optional(
      "due", .string, "When the task is due: a day such as 2027-01-31, or a time such as 2027-01-31T08:00:00Z."),
    .optional("start", .string, "When the task begins."),
    .optional("priority", .integer, "The priority, from 1, the highest, to 9."),
    .optional("labels", .list(of: .string), "The labels."), .optional("list", .string, "The ID of the task's list."),
    .optional("list_name", .string, "From tasks.each and in an export, the name of the task's list."),
    .optional("parent", .string, "The ID of the task that this one is a part of."),
    .optional("recurrence", .string, "The rule of a repeated task, such as FREQ=WEEKLY;BYDAY=MO."),
    .optional("url", .string, "An address that belongs to the task."),
    .optional("key", .string, "The key of the task at the source that an import has read."),
    .optional("etag", .string, "The version of the task, which tasks.update compares."),
    .optional("raw", .map(of: .any), "All fields, by the server's names."))

  static let newTask = LuaRecord(
    "new task", "A task to add.",
    Parameter("text", .string, "The text of the task."),
    .optional("owner", .string, "The owner."),
    .optional("completed", .boolean, "True if the task is done."), .optional("notes", .string, "More text."),
    .optional("completed_at", .string, "The time at which the task was done."),
    .optional(
      "due", .string,
      "When the task is due: 2027-01-31, 2027-01-31T08:00:00Z, or 2027-01-31T09:00[Europe/Berlin] (RFC 9557)."),
    .optional("start", .string, "When the task begins."),
    .optional("priority", .integer, "The priority, from 1, the highest, to 9."),
    .optional("labels", .list(of: .string), "The labels."),
    .optional("list", .string, "The name or the ID of the task's list."),
    .optional(
      "list_id", .any,
      "In an import, the ID of the list whose name is list. It counts only at a service that has a list with this ID."),
    .optional("parent", .string, "The ID of the task that this one is a part of."),
    .optional("recurrence", .string, "The rule of a repeated task (RFC 5545), such as FREQ=WEEKLY;BYDAY=MO."),
    .optional("url", .string, "An address that belongs to the task."),
    .optional(
      "key", .any,
      "The key of the task at its source: one line of at most 255 characters. The service keeps it."),
    .optional(
      "source_id", .any,
      "In an import, the name that the source has for the task, which the parent of other rows says. No server gets it."
    ),
    others: .any)

  static let columnMap = LuaRecord(
    "map of columns", "The columns of a file, by the names of the task's fields.",
    .optional("text", .string, "The column of the text."), others: .string)

  static let exportReport = LuaRecord(
    "export report", "The result of an export.",
    Parameter("tasks", .integer, "The number of tasks."), Parameter("bytes", .integer, "The number of bytes."),
    Parameter("seconds", .number, "The duration in seconds."),
    Parameter("path", .string, "The file."),
    Parameter("format", .string, "The format."))

  static let importReport = LuaRecord(
    "import report", "The result of an import, in rows. tostring returns it as text.",
    Parameter("total", .integer, "All rows."),
    Parameter("added", .integer, "The rows that are tasks now, by this run or an earlier one."),
    Parameter("added_now", .integer, "The rows that this run added."),
    Parameter("skipped", .integer, "The rows skipped by map, or because the task exists already."),
    Parameter("failed", .integer, "The rows that were not added."),
    Parameter("unsettled", .integer, "The unsettled rows: the server may have added them."),
    Parameter("unsent", .integer, "The rows that were not sent, because the import ended."),
    Parameter("lost", .map(of: .integer), "The number of rows by each field that the server did not keep."),
    Parameter("left_out", .list(of: .string), "The columns that no field comes from."),
    .optional("resumed_at", .integer, "The row at which the import resumed after an earlier run."),
    Parameter("seconds", .number, "The duration in seconds."),
    Parameter("failures", .list(of: .record(rowFailure)), "The first thousand failures of this run."),
    .optional("journal", .string, "The file or the database of the journal."),
    .optional("failed_rows", .string, "The file with the rows that failed."),
    .optional("failed_table", .string, "The file with the rows that failed as a table, if the source is one."))

  static let reading = LuaRecord(
    "reading", "How tasks.import reads a file. tostring returns it as text.",
    Parameter("source", .string, "The file, or \"standard input\"."),
    Parameter("format", .string, "The format."),
    .optional("app", .string, "The app that wrote the file."),
    .optional("container", .string, "The compression, the entry of the archive or the sheet of the workbook."),
    .optional("encoding", .string, "The encoding of the text."),
    .optional("separator", .string, "The separator of a table."),
    .optional(
      "header", .either([.integer, .string]),
      "The line with the names of the columns; \"none\" for a table without one."),
    .optional("header_reason", .string, "Why the header is there; nil if an option names it."),
    Parameter(
      "columns", .list(of: .record(readColumn)), "The columns of a table, or the members of the first objects."),
    Parameter("doubts", .list(of: .record(readingDoubt)), "The doubts that would stop an import."),
    Parameter("rows", .list(of: .record(readRow)), "The first ten rows."))

  static let readColumn = LuaRecord(
    "read column", "A column or a member as it is read.", Parameter("name", .string, "The name."),
    .optional("field", .string, "The field of a task; nil for a column that is left out."),
    Parameter(
      "kind", .string, "The kind of most of its values: texts, numbers, dates, words, addresses, IDs or empty."))

  static let readingDoubt = LuaRecord(
    "reading doubt", "A doubt about a file.", Parameter("finding", .string, "The finding."),
    Parameter("remedies", .list(of: .string), "The options that decide, a sentence each."))

  static let readRow = LuaRecord(
    "read row", "A row as a task.", Parameter("row", .integer, "The number of the row."),
    .optional("line", .integer, "Its line in the file."),
    .optional("task", .record(newTask), "The task; nil for a row that is skipped or cannot be a task."),
    .optional("reason", .string, "The reason why the row cannot be a task."))

  static let rowFailure = LuaRecord(
    "row failure", "A row that failed, or that may have been added.",
    Parameter("row", .integer, "The number of the row."),
    .optional("line", .integer, "The line of the row in the file."),
    Parameter("reason", .string, "The reason in a sentence."),
    Parameter("code", .string, "The code of the reason, which never changes."),
    .optional("status", .integer, "The HTTP status of the answer."), .optional("text", .string, "The task's text."),
    Parameter("unsettled", .boolean, "True if the row may have been added nevertheless."),
    .optional("original", .any, "The row as it was read."))
}
