import CPQShims
import Core
import Glibc

/// Values and placeholders as PostgreSQL spells them.
enum PostgresText {
  /// Turns `?` into `$1`, `$2` and so on, and `?2` into `$2`. A `?` in a quoted text stays.
  static func placeholders(_ sql: String) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(sql.utf8.count + 16)
    var number = 0
    var isQuoted = false
    let bytes = Array(sql.utf8)
    for (index, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "'") { isQuoted.toggle() }
      guard byte == UInt8(ascii: "?"), !isQuoted else {
        text.append(byte)
        continue
      }
      text.append(UInt8(ascii: "$"))
      if index + 1 < bytes.count, (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(bytes[index + 1]) { continue }
      number += 1
      text += Array(String(number).utf8)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Calls `body` with the values as libpq takes them: blobs with their length, others as text with the length -1.
  static func withValues<R>(
    _ values: [SQLValue], _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?) -> R
  ) -> R {
    var memory: [UnsafeMutablePointer<CChar>?] = []
    var lengths: [Int32] = []
    for value in values {
      switch value {
      case .null: memory.append(nil)
      case .integer(let number): memory.append(strdup(String(number)))
      case .real(let number): memory.append(strdup(String(number)))
      // `unfit` has looked for a NUL, where the text would end.
      case .text(let text): memory.append(strdup(text))
      case .blob(let bytes):
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: max(1, bytes.count))
        bytes.withUnsafeBytes {
          UnsafeMutableRawPointer(copy).copyMemory(from: $0.baseAddress ?? .init(copy), byteCount: $0.count)
        }
        memory.append(copy)
        lengths.append(Int32(bytes.count))
        continue
      }
      lengths.append(-1)
    }
    defer { for (copy, length) in zip(memory, lengths) { if length >= 0 { copy?.deallocate() } else { free(copy) } } }
    return memory.map { UnsafePointer($0) }.withUnsafeBufferPointer { memory in
      lengths.withUnsafeBufferPointer { body(memory.baseAddress, $0.baseAddress) }
    }
  }

  /// The place of the first value, from 1, that PostgreSQL cannot hold: a text with a NUL, or more than 2 GiB.
  static func unfit(_ values: [SQLValue]) -> Int? {
    values.firstIndex {
      switch $0 {
      case .text(let text): text.utf8.contains(0)
      case .blob(let bytes): bytes.count > Int32.max
      default: false
      }
    }.map { $0 + 1 }
  }

  /// The value of a column of that type; nil for a text that the type does not have.
  static func value(_ bytes: UnsafeBufferPointer<UInt8>, _ type: UInt32) -> SQLValue? {
    switch type {
    // bool
    case 16: bytes.elementsEqual("t".utf8) ? 1 : bytes.elementsEqual("f".utf8) ? 0 : nil
    // int8, int2, int4
    case 20, 21, 23: Int64(String(decoding: bytes, as: UTF8.self)).map(SQLValue.integer)
    // float4, float8, numeric
    case 700, 701, 1700: Double(String(decoding: bytes, as: UTF8.self)).map(SQLValue.real)
    // bytea
    case 17: blob(bytes).map(SQLValue.blob)
    default: .text(String(decoding: bytes, as: UTF8.self))
    }
  }

  /// The bytes of a `bytea`, in the form that the setting bytea_output of the server selects (PostgreSQL 15, 8.4). Nil for
  /// another text.
  static func blob(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    text.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "x")]) ? hexadecimal(text.dropFirst(2)) : unescaped(text)
  }

  private static func hexadecimal(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8]? {
    guard digits.count % 2 == 0 else { return nil }
    // The highest bit of any of them is set by a wrong digit.
    var wrong: UInt8 = 0
    func value(_ digit: UInt8) -> UInt8 {
      let value =
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: UInt8(0x80)
        }
      wrong |= value
      return value
    }
    let bytes = [UInt8](unsafeUninitializedCapacity: digits.count / 2) { bytes, count in
      var index = digits.startIndex
      while index < digits.endIndex {
        bytes[count] = value(digits[index]) << 4 | value(digits[index + 1])
        count += 1
        index += 2
      }
    }
    return wrong & 0x80 == 0 ? bytes : nil
  }

  /// Reads bytes of which some are written as a backslash and three octal digits, and a backslash as two.
  private static func unescaped(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var rest = text[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      guard let next = rest.popFirst() else { return nil }
      if next == UInt8(ascii: "\\") {
        bytes.append(next)
        continue
      }
      let digits = [next] + rest.prefix(2)
      rest = rest.dropFirst(2)
      guard digits.count == 3, digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "7")).contains),
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      else { return nil }
      bytes.append(value)
    }
    return bytes
  }
}
