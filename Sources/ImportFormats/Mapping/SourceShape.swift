import JSON
import TableReading

/// The names, the first values and the format of a source's records, for a mapping.
struct SourceShape {
  var name: String
  var format: SourceFormat
  /// The columns of a table, or the sorted members of the first objects of a list. Nil for texts.
  var names: [String]?
  /// True for a table, which has no other columns. Later objects may have other members.
  var isTable: Bool
  /// True for a table without a header.
  let isNameless: Bool
  /// The positions of the columns that have one name.
  let repeats: [String: [Int]]
  private let records: [SourceRecord]

  init(_ reader: any RecordReader, beginning: [SourceRecord]) {
    name = reader.name
    format = reader.format
    isTable = reader.columns != nil
    records = beginning
    let table = ((reader as? PreviewedReader)?.reader ?? reader) as? CSVReader
    repeats = table?.header.repeats ?? [:]
    isNameless = table?.start.header == TableShape.Header.none
    names = reader.columns ?? Self.members(of: beginning)
    if format == .json || format == .ndjson, let names, ["uuid", "description", "status"].allSatisfy(names.contains) {
      format = .taskwarrior
    }
  }

  /// The names without those of columns that do not belong to the list, and each name once.
  var fieldNames: [String]? {
    let further = Set(repeats.values.flatMap { $0.dropFirst() })
    return names?.enumerated().filter { !CSVHeader.isOwn($0.element) && !(isTable && further.contains($0.offset)) }
      .map(\.element)
  }

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

  /// The texts and the numbers that a column or a member has in the first records, without empty ones.
  func values(_ name: String) -> [String] {
    let column = isTable ? names?.firstIndex(of: name) : nil
    return records.compactMap { record in
      let text: String?
      switch record.content {
      case .row(let row): text = column.map { row[$0] }
      case .value(let value):
        switch value[name] {
        case .string(let found)?: text = found
        case .integer(let number)?: text = String(number)
        case .bool(let value)?: text = String(value)
        default: text = nil
        }
      default: text = nil
      }
      return text.flatMap { $0.isBlank ? nil : $0 }
    }
  }

  /// The word for a member whose first values have parts: `lists` or `objects`; nil for another one.
  func parts(_ name: String) -> String? {
    for case .value(let value) in records.map(\.content) {
      if value[name]?.array?.isEmpty == false { return "lists" }
      if value[name]?.object?.isEmpty == false { return "objects" }
    }
    return nil
  }

  /// The share of the first rows that have a value in a column or a member.
  func share(_ name: String) -> Double { records.isEmpty ? 0 : Double(values(name).count) / Double(records.count) }

  /// The kind that most of the values of a column or a member have; nil without values.
  func kind(_ name: String) -> CellKind? {
    let values = values(name)
    var counts: [CellKind: Int] = [:]
    for value in values { counts[CellKind(value), default: 0] += 1 }
    return values.isEmpty ? nil : counts.first { 2 * $0.value > values.count }?.key ?? .text
  }
}
