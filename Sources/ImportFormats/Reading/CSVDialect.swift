/// How the rows of a table are written: what stands between two fields, and what keeps a separator inside of one.
struct CSVDialect: Sendable, Equatable {
  var separator: UInt8
  var quote = UInt8(ascii: "\"")
  /// The byte before a quote that is a part of its field; nil if such a quote is written twice only.
  var escape: UInt8?
  /// The separators between two fields, as in `Milk||Home`.
  var repeats = 1
  /// True if one blank stands behind each separator and is no part of the field.
  var hasBlanks = false

  init(separator: UInt8) { self.separator = separator }

  /// True if the fields of a row need a change after they were found.
  var isPadded: Bool { repeats > 1 || hasBlanks }
}
