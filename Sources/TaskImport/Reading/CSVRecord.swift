/// The fields of one row, before they have names.
struct CSVRecord: Sendable {
  /// A field's place in `bytes`.
  struct Field: Sendable {
    var start: Int
    var end: Int
    /// Holds doubled quotes, of which one each has to go.
    var isEscaped: Bool
  }

  /// The line on which the row begins, counting from 1.
  var line = 0
  var bytes: [UInt8] = []
  var fields: [Field] = []

  func text(of index: Int) -> String {
    let field = fields[index]
    return String(decoding: bytes[field.start..<field.end], as: UTF8.self)
  }

  /// Makes one quote of each doubled one, in place.
  mutating func removeDoubledQuotes() {
    for index in fields.indices where fields[index].isEscaped {
      let field = fields[index]
      var target = field.start
      var source = field.start
      while source < field.end {
        let byte = bytes[source]
        bytes[target] = byte
        target += 1
        source += byte == UInt8(ascii: "\"") ? 2 : 1
      }
      fields[index] = Field(start: field.start, end: target, isEscaped: false)
    }
  }
}
