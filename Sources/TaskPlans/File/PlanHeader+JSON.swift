import Core
import JSON

extension PlanHeader {
  /// The beginning of a plan's file, up to the rows.
  var text: String {
    let key = keyColumn.map { JSON.object(["column": .string($0), "field": keyField.map(JSON.string) ?? .null]) }
    let members: KeyValuePairs<String, JSON?> = [
      "read_by": .string(PlanFormat.readBy), "kind": .string(kind.rawValue), "id": .string(id),
      "created": .string(UnixTime(Double(created)).iso), "source": .string(source), "account": .string(account),
      "account_name": .string(accountName), "api": .string(api), "place": .object(place), "key": key,
      "columns": .array(columns.map(JSON.string)), "notes": .array(notes.map(JSON.string)),
      "undoes": undoes.map(JSON.string),
    ]
    let lines = members.compactMap { name, value in value.map { "\"\(name)\": \($0.encoded()),\n" } }
    return PlanFormat.start + lines.joined() + PlanFormat.rowsStart + "\n"
  }

  init(json: JSON) throws(PlanMembers.Problem) {
    let members = try PlanMembers(json, as: "an object")
    self.init(
      try members.word("kind", Kind.self), id: try members.text("id"),
      created: try members.need(
        "created", "a time", { $0.string.flatMap(UnixTime.init(iso:)).map { Int($0.seconds) } }),
      source: try members.text("source"), account: try members.text("account"),
      accountName: try members.text("account_name"), api: try members.text("api"))
    place = try members.optional("place", "an object", \.object) ?? [:]
    let key = try members.optional("key", "an object with a column") { $0["column"]?.string == nil ? nil : $0 }
    (keyColumn, keyField) = (key?["column"]?.string, key?["field"]?.string)
    columns = try members.texts("columns")
    notes = try members.texts("notes")
    undoes = try members.optionalText("undoes")
  }
}
