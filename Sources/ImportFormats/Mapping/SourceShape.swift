import JSON

/// The names and the format of a source's records, for a mapping.
struct SourceShape {
  var name: String
  var format: SourceFormat
  /// The columns of a table, or the sorted members of the first objects of a list. Nil for texts.
  var names: [String]?
  /// True for a table, which has no other columns. Later objects may have other members.
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

  /// The names without those of columns that are no part of the list.
  var fieldNames: [String]? { names?.filter { !CSVHeader.isOwn($0) } }

  private static func members(of records: [SourceRecord]) -> [String]? {
    var names: Set<String> = []
    for record in records {
      if case .value(let value) = record.content, let members = value.object { names.formUnion(members.keys) }
    }
    return names.isEmpty ? nil : names.sorted()
  }

  var noun: String { isTable ? "column" : "member" }

  var list: String { (names ?? []).quotedList }

  /// The name with that spelling, else the only one that differs in letter case. Nil if there is none.
  func find(_ name: String) -> String? {
    guard let names else { return nil }
    if names.contains(name) { return name }
    let similar = names.filter { $0.lowercased() == name.lowercased() }
    return similar.count == 1 ? similar[0] : nil
  }
}
