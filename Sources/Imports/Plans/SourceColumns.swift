import Core
import HostLoop
import ImportFormats
import JSON
import TaskAPI

/// The columns of a table, or the members of the objects of a list, with their values as the source has them.
struct SourceColumns: Sendable {
  /// The names in the order of the source. Those of members come in the order of the objects, and in one object by name.
  private(set) var names: [String]
  private var known: Set<String>
  private let isTable: Bool
  /// The number of members that have no column, because there are too many.
  private(set) var others = 0

  /// Objects with ever new members would make each row longer.
  private static let mostMembers = 1000

  @HostActor init(_ source: any RowSource) {
    isTable = source.table != nil
    names = (source.table?.columns ?? []).filter { !CSVHeader.isOwn($0) && !$0.isEmpty }
    known = Set(names)
    if !isTable { for record in source.beginning { add(record, nil) } }
  }

  /// Takes the members of an object.
  mutating func add(_ record: SourceRecord, _ draft: RowDraft?) {
    guard !isTable, let members = Self.members(record, draft) else { return }
    guard members.keys.contains(where: { !known.contains($0) }) else { return }
    for name in members.keys.sorted() where !known.contains(name) && !CSVHeader.isOwn(name) {
      guard names.count < Self.mostMembers else {
        others += 1
        continue
      }
      known.insert(name)
      names.append(name)
    }
  }

  /// The name with that spelling, else the only one that differs in letter case; nil if there is none.
  func find(_ name: String) -> String? {
    if known.contains(name) { return name }
    let similar = names.filter { $0.lowercased() == name.lowercased() }
    return similar.count == 1 ? similar[0] : nil
  }

  /// The error about a name that no column has.
  func missing(_ name: String) -> (problem: String, hint: String?) {
    let noun = isTable ? "columns" : "members"
    let shown = names.prefix(Self.mostShown).map { String($0.prefix(60)) }.map { "\"\($0)\"" }.joined(separator: ", ")
    let more = names.count > Self.mostShown ? " and \(names.count - Self.mostShown) more" : ""
    return (
      "there is no \(isTable ? "column" : "member") \"\(name.prefix(60))\""
        + (names.isEmpty ? "" : ": the \(noun) are \(shown)\(more)"),
      didYouMean(name, among: names)
    )
  }

  private static let mostShown = 20

  /// The value of a column; nil without one.
  /// - Parameter draft: the task that a script has made of a record that only the script knows.
  static func value(_ name: String, in record: SourceRecord, _ draft: RowDraft?) -> JSON? {
    if case .row(let row) = record.content { return row[name].map { .string($0) } }
    return members(record, draft)?[name]
  }

  /// The values of all columns as texts.
  func values(of record: SourceRecord, _ draft: RowDraft?) -> [String] {
    switch record.content {
    case .row(let row): names.map { row[$0] ?? "" }
    case .malformed(_, _, let fields) where !names.isEmpty:
      // Too many fields stay together: a receipt has all of them.
      (0..<names.count).map { index in
        index == names.count - 1
          ? fields.dropFirst(index).joined(separator: ", ") : index < fields.count ? fields[index] : ""
      }
    default:
      Self.members(record, draft).map { members in
        names.map { name in members[name].map { $0 == .null ? "" : $0.plainText } ?? "" }
      } ?? names.map { _ in "" }
    }
  }

  private static func members(_ record: SourceRecord, _ draft: RowDraft?) -> [String: JSON]? {
    switch record.content {
    case .value(let value): return value.object ?? ["text": value]
    case .opaque:
      guard case .task(let task)? = draft else { return nil }
      return task.original.object
    case .row, .malformed, .encoded: return nil
    }
  }
}
