import JSON

/// The names and the kind of a source's records, as far as a mapping has to know them.
struct SourceShape {
  var name: String
  var format: SourceFormat
  /// The columns of a table, or the members that the first objects of a list have, in alphabetical order. Nil for texts.
  var names: [String]?
  /// A table's columns are all there are; other objects may have further members.
  var isTable: Bool

  init(_ reader: any RecordReader, beginning: [SourceRecord]) {
    name = reader.name
    format = reader.format
    isTable = reader.columns != nil
    names = reader.columns ?? Self.members(of: beginning)
    if format == .json || format == .ndjson, let names, ["uuid", "description", "status"].allSatisfy(names.contains) {
      format = .taskwarrior
    }
  }

  /// Nil when there are no objects.
  private static func members(of records: [SourceRecord]) -> [String]? {
    var names: Set<String> = []
    for record in records {
      if case .value(let value) = record.content, let members = value.object { names.formUnion(members.keys) }
    }
    return names.isEmpty ? nil : names.sorted()
  }

  /// "column" or "member", for messages.
  var noun: String { isTable ? "column" : "member" }

  var list: String { (names ?? []).map { "\"\($0)\"" }.joined(separator: ", ") }

  /// The name of that spelling, else the only one that differs in letter case. Nil when there is none.
  func find(_ name: String) -> String? {
    guard let names else { return nil }
    if names.contains(name) { return name }
    let similar = names.filter { $0.lowercased() == name.lowercased() }
    return similar.count == 1 ? similar[0] : nil
  }
}
