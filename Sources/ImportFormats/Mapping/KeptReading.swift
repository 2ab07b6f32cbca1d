package import Encodings
package import JSON
package import TableReading
import TaskAPI

/// The reading of a file in a journal, as it was decided. A later run reads alike, also if the file has grown.
package struct KeptReading: Sendable, Equatable {
  package let json: JSON

  package init(_ json: JSON) { self.json = json }

  package var encoding: TextEncoding? { json["encoding"]?.string.flatMap(TextEncoding.init(name:)) }
  package var separator: Character? { json["separator"]?.string?.first }
  package var header: TableShape.Header? {
    if json["header"]?.string == "none" { return TableShape.Header.none }
    return json["header"]?.lenientInteger.map { .line(Int($0)) }
  }
  var dateOrder: DateOrder? { json["date_format"]?.string.flatMap(DateOrder.init(rawValue:)) }
  var scale: PriorityColumn.Scale? {
    json["priority_scale"]?.lenientInteger.map { $0 == 0 ? .highestFirst : .lowestFirst(most: Int($0)) }
  }
  var mapping: RowMapping? {
    let pairs = (json["columns"]?.array ?? []).compactMap { pair -> RowMapping.Pair? in
      guard let field = pair["field"]?.string, let column = pair["column"]?.string else { return nil }
      return RowMapping.Pair(field: field, column: column)
    }
    return pairs.isEmpty ? nil : RowMapping(kept: pairs)
  }
}

extension FileRowSource {
  /// The reading for a journal; nil for a format whose fields are always the same.
  package var kept: KeptReading? {
    switch shape.format {
    case .csv, .tsv, .json, .ndjson: break
    case .text, .todotxt, .taskwarrior: return nil
    }
    var members: [String: JSON] = [
      "columns": .array(mapper.columns.map { ["field": .string($0), "column": .string($1)] })
    ]
    members["encoding"] = reader.buffer.map { .string($0.encoding.rawValue) }
    if let start = reader.start {
      members["separator"] = .string(String(start.separator))
      switch start.header {
      case .line(let number): members["header"] = .integer(Int64(number))
      case .none: members["header"] = "none"
      }
    }
    members["date_format"] = mapper.dateOrder.map { .string($0.rawValue) }
    if mapper.fields.contains(where: { $0.field == TaskField.priority.rawValue }) {
      members["priority_scale"] = if case .lowestFirst(let most) = mapper.scale { .integer(Int64(most)) } else { 0 }
    }
    return KeptReading(.object(members))
  }
}

extension RowMapper {
  /// The columns of the fields, in the order in which they count.
  var columns: [(field: String, column: String)] {
    [("text", text.name)] + completions.map { (Self.completedField, $0.place.name) }
      + fields.map { ($0.field, $0.place.name) }
  }
}
