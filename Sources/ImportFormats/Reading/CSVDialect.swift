/// The way in which the rows of a table are written: the separator of fields, and the quotes around a field with a separator.
struct CSVDialect: Sendable, Equatable {
  var separator: UInt8
  var quote = UInt8(ascii: "\"")
  /// The byte before a quote that is a part of its field; nil if such a quote is written twice only.
  var escape: UInt8?
  /// The separators between two fields, as in `Milk||Home`.
  var repeats = 1
  /// True if one blank stands behind each separator and does not belong to the field.
  var hasBlanks = false

  init(separator: UInt8) { self.separator = separator }

  /// True if the fields of a row need a change after they were found.
  var isPadded: Bool { repeats > 1 || hasBlanks }
}
