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
  package let leftOut: LeftOut?
  private let reader: PreviewedReader
  private let cursor: RecordCursor
  private let mapper: RowMapper

  /// - Parameter mapping: nil uses the usual names.
  package convenience init(_ reader: any RecordReader, mapping: RowMapping? = nil) throws(ImportError) {
    try self.init(FileReading(reader: PreviewedReader(reader), kindDoubt: nil), mapping: mapping)
  }

  /// - Parameter dateOrder: of day and month in dates of numbers; nil to find it by the first rows.
  package init(
    _ reading: FileReading, mapping: RowMapping?, dateOrder: DateOrder? = nil
  ) throws(ImportError) {
    reader = reading.reader
    cursor = RecordCursor(reader)
    beginning = reader.beginning
    let shape = SourceShape(reader, beginning: beginning)
    let recognition = Recognition(reader, shape)
    var mapper: RowMapper
    do {
      mapper = if let mapping { try RowMapper(mapping, for: shape) } else { try RowMapper(guessingFor: shape) }
    } catch {
      // The names of its columns are not the problem of a page of HTML.
      throw reading.kindDoubt.map { .doubtful(reading.reader.name, [$0]) } ?? recognition.explained(error)
    }
    var dates = Self.dates(mapper, beginning)
    if dateOrder == nil, !dates.doubts.isEmpty { dates = Self.dates(mapper, reader.readAhead(Self.mostForDates)) }
    mapper.dateOrder = dateOrder ?? dates.order
    self.mapper = mapper
    summary = mapper.summary
    leftOut = mapper.leftOut.isEmpty ? nil : LeftOut(columns: mapper.leftOut, advice: mapper.exampleWithLeftOut)
    let ofMap = mapping?.doubt.map { [$0] } ?? []
    let ofDates = dateOrder == nil ? dates.doubts : []
    doubts = reading.kindDoubt.map { [$0] } ?? ofMap + recognition.doubts(mapping == nil ? mapper : nil) + ofDates
  }

  /// As many rows are read before the first request if no earlier one decides on the order of dates.
  private static let mostForDates = 20_000

  private static func dates(
    _ mapper: RowMapper, _ records: some Collection<SourceRecord>
  ) -> (order: DateOrder?, doubts: [ReadingDoubt]) {
    WrittenDate.order(mapper.datePlaces.map { place in (place.name, records.compactMap { $0.value(place) }) })
  }

  package func next() async throws -> SourceRecord? { try await cursor.next() }

  package var fields: [String]? { mapper.fieldNames }
  package var table: SourceTable? { reader.table }

  package var hasSourceIDs: Bool { mapper.sourceIDPlace != nil }
  package func sourceID(of record: SourceRecord) -> String? {
    mapper.sourceIDPlace.flatMap { record.value($0) }.flatMap(TaskDraft.sourceID)
  }

  package func draft(of record: SourceRecord) async throws -> RowDraft { mapper.draft(of: record) }

  package var bytesRead: Int { reader.bytesRead }
  package var totalBytes: Int? { reader.totalBytes }
}

extension RowMapper {
  /// The column or member with the names that the source has for its tasks; nil without one.
  fileprivate var sourceIDPlace: Place? { fields.first { $0.field == TaskDraft.sourceIDName }?.place }
}

extension SourceRecord {
  /// The value of a column or a member; nil without one.
  fileprivate func value(_ place: RowMapper.Place) -> JSON? {
    switch content {
    case .row(let row): place.column.map { .string(row[$0]) }
    case .value(let value): value[place.name]
    default: nil
    }
  }
}
