/// A hash that is the same in every run, unlike Swift's own: FNV-1a of 64 bits, with a last step that spreads it.
///
/// It tells records and texts apart. It is no protection against somebody who wants two to be the same.
package struct StableHash: Sendable {
  private var state: UInt64 = 0xcbf2_9ce4_8422_2325

  package init() {}

  /// The hash of a text's UTF-8.
  package static func of(_ text: String) -> UInt64 {
    var hash = StableHash()
    var text = text
    text.withUTF8 { hash.add($0) }
    return hash.value
  }

  package mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    for byte in bytes { add(byte) }
  }

  package mutating func add(_ byte: UInt8) {
    state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
  }

  package var value: UInt64 {
    let mixed = (state ^ state >> 32) &* 0x9e37_79b9_7f4a_7c15
    return mixed ^ mixed >> 29
  }
}
