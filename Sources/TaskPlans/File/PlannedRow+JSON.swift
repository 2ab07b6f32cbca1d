import JSON
import TaskAPI

extension PlannedRow {
  /// The row as a line of a plan's file, without the line break.
  var json: String {
    let changes = changes.sorted { $0.key < $1.key }.map { field, change -> (String, String?) in
      (field, PlanFormat.object([("old", change.old.encoded()), ("new", change.new.encoded())]))
    }
    return PlanFormat.object([
      ("row", PlanFormat.text(row)), ("line", PlanFormat.text(line)), ("action", PlanFormat.text(action.rawValue)),
      ("key", PlanFormat.text(key)), ("text", PlanFormat.text(text)), ("task", PlanFormat.text(task?.id)),
      ("list", PlanFormat.text(task?.list)), ("etag", PlanFormat.text(task?.entityTag)),
      ("changes", changes.isEmpty ? nil : PlanFormat.object(changes)), ("parent_row", PlanFormat.text(parentRow)),
      ("reason", PlanFormat.text(reason)),
      ("source", source.isEmpty ? nil : JSON.array(source.map(JSON.string)).encoded()),
    ])
  }

  init(json: JSON) throws(PlanMembers.Problem) {
    let members = try PlanMembers(json, as: "a row")
    let row = try members.need("row", "a number from 1 on", PlanMembers.number)
    let id = try members.optionalText("task")
    let (tag, list) = (try members.optionalText("etag"), try members.optionalText("list"))
    self.init(
      row: row, line: try members.optional("line", "a number from 1 on", PlanMembers.number),
      action: try members.word("action", Action.self), text: try members.text("text"),
      task: id.map { TaskReference(id: $0, entityTag: tag, list: list) })
    key = try members.optionalText("key")
    changes = try members.optional("changes", "an object of changes", Change.all) ?? [:]
    parentRow = try members.optional("parent_row", "a number from 1 on", PlanMembers.number)
    reason = try members.optionalText("reason")
    source = try members.texts("source")
    if task == nil, action == .change || action == .remove {
      throw PlanMembers.Problem(reason: "task is missing, and the action is \(action.rawValue)")
    }
  }
}

extension PlannedRow.Change {
  /// The changes by the names of fields; nil if something in it is none.
  static func all(_ json: JSON) -> [String: Self]? {
    guard let members = json.object else { return nil }
    let changes = members.compactMapValues { change in
      if let old = change["old"], let new = change["new"] { Self(old: old, new: new) } else { nil }
    }
    return changes.count == members.count ? changes : nil
  }
}
