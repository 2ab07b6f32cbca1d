package import HostLoop
import JSON
package import TableReading
import TaskAPI

/// The records of a file as tasks, by the names of their columns or members.
@HostActor
package final class FileRowSource: RowSource {
  /// The mapping in words: `text from column "Title", completed from "Done"; left out: "Due"`.
  package let summary: String
  /// The doubts about the file, by its beginning.
  package let doubts: [ReadingDoubt]
  package let beginning: [SourceRecord]
  /// The columns that no field comes from; with the values that they have so far, if these are counted.
  package var leftOut: LeftOut? {
    var left = columnsLeftOut
    for (place, count) in zip(mapper.leftOut, leftOutCounts) { left?.values[place.name] = count }
    return left
  }
  private let columnsLeftOut: LeftOut?
  /// Only a dry run shows the counts.
  private let countsLeftOut: Bool
  private var leftOutCounts: [Int]
  let reader: PreviewedReader
  let shape: SourceShape
  let mapper: RowMapper
  private let cursor: RecordCursor
  private var foreign: ForeignRows?
  /// The reason why the last record is not a task.
  private var foreignReason: String?

  /// - Parameter mapping: nil uses the usual names.
  package convenience init(_ reader: any RecordReader, mapping: RowMapping? = nil) throws(ImportError) {
    try self.init(FileReading(reader: PreviewedReader(reader), kindDoubt: nil), mapping: mapping)
  }

  /// - Parameters:
  ///   - dateOrder: of day and month in dates of numbers; nil to find it by the first rows.
  ///   - values: the meanings of words, as the caller says them.
  ///   - isAsIs: true to take the values as they are, whatever is doubtful about them.
  ///   - kept: the reading of an earlier run, which decides what the caller does not say.
  ///   - countsLeftOut: true to count the values of the columns that no field comes from.
  package init(
    _ reading: FileReading, mapping: RowMapping?, dateOrder: DateOrder? = nil, values: ValueMap = ValueMap(),
    isAsIs: Bool = false, kept: KeptReading? = nil, countsLeftOut: Bool = false
  ) throws(ImportError) {
    self.countsLeftOut = countsLeftOut
    reader = reading.reader
    cursor = RecordCursor(reader)
    beginning = reader.beginning
    shape = SourceShape(reader, beginning: beginning)
    let recognition = Recognition(reader, shape)
    let dateOrder = dateOrder ?? kept?.dateOrder
    var mapper: RowMapper
    do throws(ImportError) {
      mapper =
        if let mapping = mapping ?? kept?.mapping {
          try RowMapper(mapping, for: shape, values: values)
        } else {
          try RowMapper(guessingFor: shape, values: values)
        }
      if let places = shape.repeats[mapper.textName] { throw shape.repeated(mapper.textName, places) }
    } catch {
      // The names of its columns are not the problem of a page of HTML.
      throw (reading.kindDoubt ?? reader.start?.doubt).map { .doubtful(reading.reader.name, [$0]) } ?? error
    }
    var dates = Self.dates(mapper, beginning)
    if dateOrder == nil, !dates.doubts.isEmpty { dates = Self.dates(mapper, reader.readAhead(Self.mostForDates)) }
    mapper.dateOrder = dateOrder ?? dates.order
    let judgment = ValueJudgment(mapper, beginning)
    mapper.scale = kept?.scale ?? judgment.scale
    mapper.keepsLostDigits = isAsIs
    self.mapper = mapper
    if let table = reader.start, let text = mapper.text.column, !isAsIs {
      foreign = ForeignRows(names: shape.names ?? [], text: text, header: table.line)
    }
    summary = ([mapper.summary] + judgment.notes).joined(separator: "; ")
    leftOutCounts = mapper.leftOut.map { _ in 0 }
    columnsLeftOut =
      mapper.leftOut.isEmpty ? nil : LeftOut(columns: mapper.leftOut.map(\.name), advice: mapper.exampleWithLeftOut)
    let ofMap = mapping?.doubt.map { [$0] } ?? []
    let ofValues = judgment.doubts + (dateOrder == nil ? dates.doubts : [])
    doubts = reading.kindDoubt.map { [$0] } ?? ofMap + recognition.doubts(mapping == nil ? mapper : nil) + ofValues
  }

  /// As many rows are read before the first request if no earlier one decides on the order of dates.
  private static let mostForDates = 20_000

  private static func dates(
    _ mapper: RowMapper, _ records: some Collection<SourceRecord>
  ) -> (order: DateOrder?, doubts: [ReadingDoubt]) {
    WrittenDate.order(
      mapper.datePlaces.map { place in
        (place.name, records.compactMap { record in record.value(place).map { ($0, record.line) } })
      })
  }

  package func next() async throws -> SourceRecord? {
    let record = try await cursor.next()
    foreignReason = if case .row(let row)? = record?.content { foreign?.reason(row) } else { nil }
    return record
  }

  package var fields: [String]? { mapper.fieldNames }
  package var table: SourceTable? { reader.table }

  package var hasSourceIDs: Bool { mapper.sourceIDPlace != nil }
  package func sourceID(of record: SourceRecord) -> String? {
    mapper.sourceIDPlace.flatMap { record.value($0) }.flatMap(TaskDraft.sourceID)
  }

  package func draft(of record: SourceRecord) async throws -> RowDraft {
    if countsLeftOut { countLeftOut(of: record) }
    let draft = mapper.draft(of: record)
    guard let foreignReason, case .task(let task) = draft else { return draft }
    return .unusable(
      code: ImportError.Kind.invalidValue.rawValue,
      reason: "\(foreignReason); --as-is (as_is = true in a script) imports it", text: task.text)
  }

  private func countLeftOut(of record: SourceRecord) {
    for (index, place) in mapper.leftOut.enumerated() where record.hasValue(place) { leftOutCounts[index] += 1 }
  }

  package var bytesRead: Int { reader.bytesRead }
  package var totalBytes: Int? { reader.totalBytes }
}

extension SourceShape {
  fileprivate func repeated(_ column: String, _ places: [Int]) -> ImportError {
    let numbers = places.prefix(2).map { String($0 + 1) }.joined(separator: " and ")
    return ImportError(
      kind: .duplicateColumn, message: "\(name): the columns \(numbers) have the same name, \"\(column)\"",
      hint: "rename one of them in the file; the text of a task comes from one column")
  }
}

extension RowMapper {
  /// The column or member with the names that the source has for its tasks; nil without one.
  fileprivate var sourceIDPlace: Place? { fields.first { $0.field == TaskDraft.sourceIDName }?.place }
}

extension SourceRecord {
  /// True if a column or a member has a value that is not empty.
  fileprivate func hasValue(_ place: RowMapper.Place) -> Bool {
    switch content {
    case .row(let row): place.column.map { !row.isEmpty($0) } ?? false
    case .value(let value): value[place.name].map { $0 != .null && $0 != "" } ?? false
    default: false
    }
  }

  /// The value of a column or a member; nil without one.
  func value(_ place: RowMapper.Place) -> JSON? {
    switch content {
    case .row(let row): place.column.map { .string(row[$0]) }
    case .value(let value): value[place.name]
    default: nil
    }
  }
}
