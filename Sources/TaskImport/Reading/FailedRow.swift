import JSON

/// A row of the file of failed rows, `FILE.failed.ndjson`: what it was, and why it failed under a name of its own.
package enum FailedRow {
  /// The member that says why.
  package static let memberName = "_import"

  /// The content of an object of a JSON file, without the reason of an earlier failure. An object with nothing else is
  /// a row that could not be read, and stays malformed.
  static func content(_ members: [String: JSON]) -> SourceRecord.Content {
    guard let failure = members[memberName] else { return .value(.object(members)) }
    var rest = members
    rest[memberName] = nil
    guard rest.isEmpty else { return .value(.object(rest)) }
    let fields = failure["fields"]?.array?.compactMap(\.string) ?? []
    return .malformed(
      code: failure["code"]?.string ?? ImportError.Kind.raggedRow.rawValue,
      reason: failure["reason"]?.string ?? "an earlier import could not read this row", fields: fields)
  }
}
