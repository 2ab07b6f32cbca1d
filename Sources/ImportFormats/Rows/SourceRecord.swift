package import JSON

/// One unchanged record of a source.
package struct SourceRecord: Sendable {
  package enum Content: Sendable {
    /// A row of a table.
    case row(CSVRow)
    /// A value of a list: an object, or a text.
    case value(JSON)
    /// A row that does not fit its table, or a line or an element that is no task; `code` is one of `ImportError.Kind`.
    case malformed(code: String, reason: String, fields: [String])
    /// A record of a block, as JSON that is read when it is asked for.
    case encoded(String)
    /// A record that only the source knows how to read.
    case opaque

    /// A row with bytes or cells that cannot be read.
    static func unreadable(_ reason: String, _ fields: [String]) -> Content {
      .malformed(code: ImportError.Kind.unreadableRow.rawValue, reason: reason, fields: fields)
    }
  }

  /// Counting from 1, without header and empty lines.
  package var number: Int
  /// Its line in the file, counting from 1; nil for a source without lines.
  package var line: Int?
  package var content: Content
  /// Tells this record from others: the same in each run for the same content.
  package var fingerprint: UInt64
  /// The rows of earlier imports that failed and that this one stands for; see `RowOrigin`.
  package var origins: [RowOrigin] = []

  package init(
    number: Int, line: Int? = nil, content: Content, fingerprint: UInt64, origins: [RowOrigin] = []
  ) {
    self.origins = origins
    self.number = number
    self.line = line
    self.content = content
    self.fingerprint = fingerprint
  }

  /// The record as JSON, for the file of failed rows; nil if only the source knows it.
  package var original: JSON? {
    switch content {
    case .row(let row): original(of: row)
    case .value(let value): tracing(value.object ?? ["text": value])
    // The file of failed rows has the reason there, too.
    case .malformed(_, _, let fields): tracing([:], ["fields": .array(fields.map { .string($0) })])
    case .encoded(let text): try? JSON(parsing: text)
    case .opaque: nil
    }
  }

  private func original(of row: CSVRow) -> JSON {
    var members: [String: JSON] = [:]
    var hasUnnamed = false
    for (index, name) in row.header.names.enumerated() where !CSVHeader.isOwn(name) {
      if name.isEmpty, !row.isEmpty(index) { hasUnnamed = true }
      members[name] = .string(row[index])
    }
    // Members cannot hold several columns without a name.
    return tracing(members, hasUnnamed ? ["fields": .array(row.fields.map { .string($0) })] : [:])
  }

  private func tracing(_ members: [String: JSON], _ facts: [String: JSON] = [:]) -> JSON {
    let names = origins.compactMap(\.text)
    guard !facts.isEmpty || !names.isEmpty else { return .object(members) }
    var (members, facts) = (members, facts)
    if !names.isEmpty { facts[RowOrigin.name] = .array(names.map { .string($0) }) }
    members[JSONRecord.failureName] = .object(facts)
    return .object(members)
  }

  /// The row in words: `row 12 (line 13)`.
  package var place: String { "row \(number)\(line.map { " (line \($0))" } ?? "")" }

  /// The row for a journal, without a task.
  package var journalRow: JournalRow { JournalRow(row: number, fingerprint: fingerprint) }
}
