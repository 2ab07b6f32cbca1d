import Crypto
import JSON

/// Reads a binary property list, which has no lines: objects, a table of their places, and a trailer of 32 bytes about
/// it. The file is not trusted: a count is compared with the rest of the file before memory is taken, and the number of
/// values is limited, for a container may hold itself, or others over and over.
struct BinaryPropertyList {
  private static let trailerSize = 32
  private static let deepest = 16
  private static let mostValues = 10_000
  /// Dates count from 2001-01-01T00:00:00Z, in seconds since 1970.
  private static let epoch = 978_307_200.0

  private struct Malformed: Error {}

  private let bytes: [UInt8]
  private let offsetSize: Int
  private let referenceSize: Int
  /// The number of objects, and the place of the table of their places.
  private var count = 0
  private var table = 0
  private var values = 0

  static func read(_ bytes: [UInt8], _ path: String) throws(SettingsError) -> [SettingsFile.Value] {
    let root: JSON
    do {
      var list = try BinaryPropertyList(bytes)
      root = try list.value(try list.number(bytes.count - 16, 8), depth: 0)
    } catch {
      throw SettingsError(
        .malformed, at: SettingsPlace(file: path), "not a valid binary property list",
        hint: "save it again, or convert it to XML (plutil -convert xml1)")
    }
    guard case .object(let members) = root else {
      throw SettingsError(.malformed, at: SettingsPlace(file: path), "expected a dictionary, not \(root.settingsKind)")
    }
    return members.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: $0.value, line: nil) }
  }

  private init(_ bytes: [UInt8]) throws(Malformed) {
    guard bytes.count >= 8 + Self.trailerSize else { throw Malformed() }
    self.bytes = bytes
    offsetSize = Int(bytes[bytes.count - 26])
    referenceSize = Int(bytes[bytes.count - 25])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else { throw Malformed() }
    count = try number(bytes.count - 24, 8)
    table = try number(bytes.count - 8, 8)
    let room = bytes.count - Self.trailerSize - table
    guard room >= 0, count <= room / offsetSize else { throw Malformed() }
  }

  private func number(_ start: Int, _ size: Int) throws(Malformed) -> Int {
    guard let number = Int(exactly: try bits(start, size)) else { throw Malformed() }
    return number
  }

  private func bits(_ start: Int, _ size: Int) throws(Malformed) -> UInt64 {
    try slice(start, size).reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func slice(_ start: Int, _ size: Int) throws(Malformed) -> ArraySlice<UInt8> {
    guard start >= 0, size >= 0, start <= bytes.count, size <= bytes.count - start else { throw Malformed() }
    return bytes[start..<start + size]
  }

  private mutating func value(_ index: Int, depth: Int) throws(Malformed) -> JSON {
    values += 1
    guard depth <= Self.deepest, values <= Self.mostValues, index < count else { throw Malformed() }
    let place = try number(table + index * offsetSize, offsetSize)
    guard let marker = try slice(place, 1).first else { throw Malformed() }
    let low = Int(marker & 15)
    switch marker >> 4 {
    case 0 where low == 8 || low == 9: return .bool(low == 9)
    case 1: return try integer(place + 1, low)
    case 2, 3: return .number(try real(place + 1, low) + (marker >> 4 == 3 ? Self.epoch : 0))
    default: break
    }
    let (size, start) = try extent(place, low)
    switch marker >> 4 {
    case 4: return .string(Base64URL.encode(Array(try slice(start, size))))
    case 5: return .string(String(decoding: try slice(start, size), as: UTF8.self))
    case 6:
      let units = try Array(slice(start, try times(size, 2)))
      return .string(
        String(
          decoding: stride(from: 0, to: units.count, by: 2).map { UInt16(units[$0]) << 8 | UInt16(units[$0 + 1]) },
          as: UTF16.self))
    case 10:
      var elements: [JSON] = []
      for index in try references(start, size) { elements.append(try value(index, depth: depth + 1)) }
      return .array(elements)
    case 13:
      let indexes = try references(start, try times(size, 2))
      var members: [String: JSON] = [:]
      for position in 0..<size {
        guard case .string(let name) = try value(indexes[position], depth: depth + 1) else { throw Malformed() }
        members[name] = try value(indexes[size + position], depth: depth + 1)
      }
      return .object(members)
    default: throw Malformed()
    }
  }

  /// The number of elements, and the place of the first: 15 says that a number with the count stands before them.
  private func extent(_ place: Int, _ low: Int) throws(Malformed) -> (count: Int, start: Int) {
    guard low == 15 else { return (low, place + 1) }
    guard let marker = try slice(place + 1, 1).first, marker >> 4 == 1, marker & 15 <= 3 else { throw Malformed() }
    let size = 1 << Int(marker & 15)
    return (try number(place + 2, size), place + 2 + size)
  }

  private func references(_ start: Int, _ count: Int) throws(Malformed) -> [Int] {
    _ = try slice(start, try times(count, referenceSize))
    var indexes: [Int] = []
    for position in 0..<count { indexes.append(try number(start + position * referenceSize, referenceSize)) }
    return indexes
  }

  private func times(_ count: Int, _ size: Int) throws(Malformed) -> Int {
    guard count <= bytes.count / size else { throw Malformed() }
    return count * size
  }

  /// An integer, which has a sign if it has 8 bytes or more.
  private func integer(_ start: Int, _ power: Int) throws(Malformed) -> JSON {
    guard power <= 4 else { throw Malformed() }
    let size = 1 << power
    let value = try bits(start + max(size - 8, 0), min(size, 8))
    if size == 16 {
      let high = try bits(start, 8)
      return high == 0 && value > UInt64(Int64.max) ? .number(Double(value)) : .integer(Int64(bitPattern: value))
    }
    return .integer(Int64(bitPattern: value))
  }

  private func real(_ start: Int, _ power: Int) throws(Malformed) -> Double {
    guard power == 2 || power == 3 else { throw Malformed() }
    let value = try bits(start, 1 << power)
    return power == 2 ? Double(Float(bitPattern: UInt32(value))) : Double(bitPattern: value)
  }
}
