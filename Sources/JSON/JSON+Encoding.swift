extension JSON {
  /// The JSON text with sorted names: the same value always gives the same bytes. Jansson would copy the value and
  /// write 0.1 as 0.10000000000000001. NaN and the infinities become `null`, because JSON has no spelling for them. A NUL
  /// in a name becomes U+FFFD.
  package func encoded(pretty: Bool = false) -> String {
    String(decoding: bytes(pretty: pretty) ?? [], as: UTF8.self)
  }

  /// The same as bytes.
  /// - Parameter mayGoOn: called after each piece with the number of new bytes. If it returns false, the result is nil.
  package func bytes(pretty: Bool = false, mayGoOn: @escaping (Int) -> Bool = { _ in true }) -> [UInt8]? {
    var writer = JSONWriter(pretty: pretty, mayGoOn: mayGoOn)
    writer.write(self)
    return writer.isGivenUp ? nil : writer.bytes
  }
}

private struct JSONWriter {
  var bytes: [UInt8] = []
  let pretty: Bool
  private let mayGoOn: (Int) -> Bool
  private(set) var isGivenUp = false
  private var told = 0
  private var level = 0

  init(pretty: Bool, mayGoOn: @escaping (Int) -> Bool) {
    self.pretty = pretty
    self.mayGoOn = mayGoOn
  }

  private static let piece = 64 << 10

  mutating func write(_ value: JSON) {
    if bytes.count - told > Self.piece {
      isGivenUp = isGivenUp || !mayGoOn(bytes.count - told)
      told = bytes.count
    }
    if isGivenUp { return }
    switch value {
    case .null: append("null")
    case .bool(let value): append(value ? "true" : "false")
    case .integer(let value): append(String(value))
    case .number(let value): append(value.isFinite ? value.description : "null")
    case .string(let value): write(value)
    case .array(let elements): enclose("[", "]", elements) { $0.write($1) }
    case .object(let members):
      enclose("{", "}", members.sorted { $0.key < $1.key }) { writer, member in
        // Jansson reads no name with a NUL: a text with one could never be read again.
        writer.write(member.key.utf8.contains(0) ? member.key.replacing("\u{0}", with: "\u{FFFD}") : member.key)
        writer.append(writer.pretty ? ": " : ":")
        writer.write(member.value)
      }
    }
  }

  private mutating func enclose<Element>(
    _ start: StaticString, _ end: StaticString, _ elements: [Element],
    _ write: (inout JSONWriter, Element) -> Void
  ) {
    append(start.description)
    level += 1
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      breakLine()
      write(&self, element)
    }
    level -= 1
    if !elements.isEmpty { breakLine() }
    append(end.description)
  }

  private mutating func write(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): append("\\\"")
      case UInt8(ascii: "\\"): append("\\\\")
      case UInt8(ascii: "\n"): append("\\n")
      case UInt8(ascii: "\r"): append("\\r")
      case UInt8(ascii: "\t"): append("\\t")
      case 0..<0x10: append("\\u000" + String(byte, radix: 16))
      case 0x10..<0x20: append("\\u00" + String(byte, radix: 16))
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func breakLine() {
    guard pretty else { return }
    bytes.append(UInt8(ascii: "\n"))
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * level))
  }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }
}
