import ImportFormats

/// A format of the program that is written in Lua: `scripts/formats/NAME.lua`. Its file is loaded when a file needs it.
struct StockFormat: Sendable {
  let name: String
  /// The kind of file in words: `TickTick backup`.
  let title: String
  var ending: String?
  /// True if an export writes it, too.
  var isWritten = false
  var marks = FormatMarks()
  /// True for a format that reads all lists of a zip archive.
  var joinsLists = false
  /// Recognizes what marks cannot say.
  var recognize: @Sendable (FormatHead) -> Bool = { _ in false }

  /// The formats, in the order of the help.
  static let all: [StockFormat] = [
    StockFormat(name: "ics", title: "iCalendar", ending: ".ics", isWritten: true),
    StockFormat(name: "ticktick", title: "TickTick backup", marks: .init(columns: [["taskId", "List Name", "Title"]])),
    StockFormat(
      name: "todoist", title: "Todoist project", marks: .init(columns: [["TYPE", "CONTENT", "INDENT"]]),
      joinsLists: true),
    StockFormat(
      name: "trello", title: "Trello board",
      marks: .init(
        columns: [["Card ID", "Card Name"]],
        members: [["cards", "lists"], ["labelNames", "idOrganization", "prefs"]])),
    StockFormat(
      name: "google-tasks", title: "Google Tasks (Takeout)", marks: .init(members: [["kind", "items[].items"]]),
      recognize: { $0.outline != nil && $0.text.contains("\"tasks#task") }),
    StockFormat(
      name: "microsoft-todo", title: "Microsoft To Do",
      marks: .init(members: [
        ["value[].importance", "value[].status"], ["[].displayName", "[].tasks"],
        ["[].importance", "[].status", "[].title"],
      ])),
    StockFormat(
      name: "outlook", title: "Outlook tasks",
      marks: .init(columns: [
        ["Subject", "% Complete", "Schedule+ Priority"], ["Subject", "Due Date", "% Complete", "Status"],
        ["Betreff", "Fällig am", "% erledigt"], ["Betreff", "Fällig am", "Erledigt am"],
      ])),
    StockFormat(
      name: "planner", title: "Microsoft Planner plan",
      marks: .init(columns: [["Task ID", "Task Name", "Bucket Name", "Progress"]])),
    StockFormat(
      name: "asana", title: "Asana project",
      marks: .init(
        columns: [["Task ID", "Name", "Section/Column"], ["Task ID", "Completed At", "Parent task"]],
        members: [["data[].gid", "data[].name"]])),
    StockFormat(
      name: "jira", title: "Jira issues", marks: .init(columns: [["Summary", "Issue key"], ["Summary", "Issue id"]])),
    StockFormat(name: "notion", title: "Notion database", joinsLists: true) { head in
      ([head.name] + head.entries).contains(where: isOfNotion) || head.entries.contains(where: isPartOfNotion)
    },
    StockFormat(
      name: "things", title: "Things",
      marks: .init(members: [
        ["[].uuid", "[].type", "[].title", "[].start"], ["[].uuid", "[].type", "[].title", "[].status"],
      ])),
    StockFormat(
      name: "omnifocus", title: "OmniFocus",
      ending: ".taskpaper",
      marks: .init(columns: [["Task ID", "Type", "Name", "Context"], ["Task ID", "Type", "Flagged"]])),
    StockFormat(
      name: "vikunja", title: "Vikunja",
      marks: .init(members: [["[].tasks", "[].parent_project_id"]], entries: [["data.json", "VERSION"]]),
      joinsLists: true),
    StockFormat(
      name: "tasks-org", title: "Tasks.org backup",
      marks: .init(members: [["version", "data.tasks"], ["timestamp", "data.tasks"]])),
    StockFormat(
      name: "github-issues", title: "GitHub issues",
      marks: .init(members: [
        ["[].number", "[].title", "[].state"], ["[].number", "[].title", "[].url"],
        ["[].number", "[].title", "[].html_url"],
      ])),
  ]

  /// True for the name of a part of a large export: `ExportBlock-…-Part-1.zip`.
  private static func isPartOfNotion(_ name: String) -> Bool { name.contains("ExportBlock-") && name.hasSuffix(".zip") }

  /// True for the name of a table that Notion wrote: `Tasks 0123456789abcdef0123456789abcdef_all.csv`.
  private static func isOfNotion(_ name: String) -> Bool {
    guard name.hasSuffix(".csv") else { return false }
    let stem = name.dropLast(4)
    let digits = (stem.hasSuffix("_all") ? stem.dropLast(4) : stem).suffix(33)
    return digits.count == 33 && digits.first == " " && digits.dropFirst().allSatisfy(\.isHexDigit)
  }
}
