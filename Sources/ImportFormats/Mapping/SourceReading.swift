import Encodings
package import TableReading

/// The reading of a source with its reasons, for a person.
package struct SourceReading: Sendable {
  package struct Column: Sendable {
    package var name: String
    /// The field of a task; nil for a column that is left out.
    package var field: String?
    /// The kind that most of its first values have.
    package var kind: String
  }

  package struct Row: Sendable {
    package var number: Int
    package var line: Int?
    package var draft: RowDraft

    package init(_ record: SourceRecord, _ draft: RowDraft) {
      (number, line) = (record.number, record.line)
      self.draft = draft
    }
  }

  /// The name of the source.
  package let source: String
  /// The name of the format: `csv`.
  package var format: String
  /// The app that wrote the file, if its format names one.
  package var app: String?
  package private(set) var container: String?
  package private(set) var encoding: String?
  package private(set) var separator: Character?
  /// True for the rows of a workbook's sheet, which have no separator.
  package private(set) var isSheet = false
  package private(set) var header: TableShape.Header?
  /// Why the header is there; nil if the caller named it.
  package private(set) var reason: String?
  package private(set) var columns: [Column] = []
  package var doubts: [ReadingDoubt]
  /// The first rows as tasks.
  package var rows: [Row] = []

  /// A source whose rows a format or a function makes.
  package init(_ source: String, format: String, doubts: [ReadingDoubt] = []) {
    (self.source, self.format, self.doubts) = (source, format, doubts)
  }

  init(_ reader: PreviewedReader, doubts: [ReadingDoubt], field: (String) -> String?) {
    self.init(reader.name, format: reader.format.rawValue, doubts: doubts)
    container = reader.buffer?.container
    encoding = reader.buffer?.encoding.rawValue
    isSheet = reader.buffer?.isSheet ?? false
    separator = isSheet ? nil : reader.start?.separator
    header = reader.start?.header
    reason = reader.start?.reason
    let shape = SourceShape(reader, beginning: reader.beginning)
    columns = (shape.fieldNames ?? []).filter { !$0.isEmpty }.map { name in
      Column(name: name, field: field(name), kind: shape.kind(name).map(\.words) ?? shape.parts(name) ?? "empty")
    }
  }
}

extension FileRowSource {
  private static let previewed = 3

  /// The facts about the file and its columns, with a few rows.
  package var facts: SourceReading {
    let fields = Dictionary(mapper.columns.map { ($0.column, $0.field) }) { first, _ in first }
    var reading = SourceReading(reader, doubts: doubts) { fields[$0] }
    reading.rows = beginning.prefix(Self.previewed).map { SourceReading.Row($0, mapper.draft(of: $0)) }
    return reading
  }
}

extension CellKind {
  fileprivate var words: String {
    switch self {
    case .empty: "empty"
    case .number: "numbers"
    case .date: "dates"
    case .word: "words"
    case .address: "addresses"
    case .identifier: "IDs"
    case .text: "texts"
    }
  }
}
