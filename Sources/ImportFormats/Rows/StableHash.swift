/// A hash of 64 bits, the same in every run and on every machine; like wyhash, it multiplies eight bytes with eight
/// others. It tells records and texts apart, but does not protect from somebody who wants two to be the same.
package struct StableHash: Sendable {
  private static let first: UInt64 = 0xa076_1d64_78bd_642f
  private static let second: UInt64 = 0xe703_7ed1_a0b4_28db

  private var state: UInt64 = 0x8ebc_6af0_9c88_c6e3
  /// True if the hash includes the length of each piece. Without lengths, some short texts have the hash of a longer
  /// text: "12" and "123", "1111" and "01111".
  private let separatesLengths: Bool

  /// True while an import continues with a journal that has hashes without lengths.
  @TaskLocal package static var isOfOldJournal = false

  /// For records, whose pieces have known lengths.
  package init() { separatesLengths = false }

  private init(separatesLengths: Bool) { self.separatesLengths = separatesLengths }

  /// Begins the hash of the content of a row or of a task.
  package static func ofContent() -> StableHash { StableHash(separatesLengths: !isOfOldJournal) }

  /// The hash of a text as a content.
  package static func of(_ text: String) -> UInt64 { ofContent().adding(text).value }

  /// The hash of a content.
  package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 { ofContent().adding(bytes).value }

  /// The hash of a record, whose pieces have known lengths.
  package static func ofRecord(_ bytes: UnsafeRawBufferPointer) -> UInt64 { StableHash().adding(bytes).value }

  /// Returns the hash with a text added.
  package func adding(_ text: String) -> StableHash {
    var text = text
    return text.withUTF8 { adding(UnsafeRawBufferPointer($0)) }
  }

  private func adding(_ bytes: UnsafeRawBufferPointer) -> StableHash {
    var hash = self
    hash.add(bytes)
    return hash
  }

  /// Adds a piece. Its end counts: "ab" and "c" are not "a" and "bc".
  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return mix(0, 0, 0) }
    add(base, bytes.count)
  }

  @inline(__always)
  mutating func add(_ base: UnsafeRawPointer, _ count: Int) {
    guard count > 0 else { return mix(0, 0, 0) }
    if separatesLengths { mix(UInt64(count), 0, 0) }
    var position = 0
    while count - position > 16 {
      mix(Self.eight(base + position), Self.eight(base + position + 8), 0)
      position += 16
    }
    // The last bytes; they may overlap with those before.
    if count >= 8 {
      mix(Self.eight(base + (count >= 16 ? count - 16 : 0)), Self.eight(base + count - 8), UInt64(count))
    } else if count >= 4 {
      mix(Self.four(base), Self.four(base + count - 4), UInt64(count))
    } else {
      mix(Self.one(base) << 16 | Self.one(base + count / 2) << 8 | Self.one(base + count - 1), 0, UInt64(count))
    }
  }

  package mutating func add(_ byte: UInt8) { mix(UInt64(byte), 0, 1) }

  package var value: UInt64 {
    var end = self
    end.mix(Self.second, Self.first, 0)
    return end.state
  }

  @inline(__always)
  private mutating func mix(_ one: UInt64, _ other: UInt64, _ count: UInt64) {
    let product = (one ^ Self.first ^ count).multipliedFullWidth(by: other ^ Self.second ^ state)
    state = product.high ^ product.low
  }

  @inline(__always)
  private static func eight(_ bytes: UnsafeRawPointer) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
  }

  @inline(__always) private static func one(_ byte: UnsafeRawPointer) -> UInt64 { UInt64(byte.load(as: UInt8.self)) }

  @inline(__always)
  private static func four(_ bytes: UnsafeRawPointer) -> UInt64 {
    UInt64(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
  }
}
