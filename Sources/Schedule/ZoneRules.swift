/// The offsets of a time zone: a TZif file (RFC 9636), versions 2 and later.
struct ZoneRules: Sendable {
  /// A time in which the clocks are not set.
  struct Segment: Equatable {
    /// Seconds ahead of UTC.
    var offset: Int
    /// The moment at which the clocks are set, in seconds since 1970; nil if they never are.
    var end: Int64?
  }

  static let utc = ZoneRules(times: [], offsets: [], first: 0, footer: PosixZone("UTC0"))

  let times: [Int64]
  /// The offsets from each of the times on.
  private let offsets: [Int]
  /// The offset before the first time.
  private let first: Int
  /// The rule after the last time.
  let footer: PosixZone?

  private init(times: [Int64], offsets: [Int], first: Int, footer: PosixZone?) {
    (self.times, self.offsets, self.first, self.footer) = (times, offsets, first, footer)
  }

  /// Nil for bytes that are no such file.
  init?(_ bytes: [UInt8]) {
    var reader = Reader(bytes: bytes)
    guard let old = reader.header(), old.version >= UInt8(ascii: "2"),
      // The block of 32-bit times, for old programs.
      reader.skip(old.times * 5 + old.types * 6 + old.characters + old.leaps * 8 + old.standard + old.universal),
      let counts = reader.header(), counts.types > 0, counts.times * 9 + counts.types * 6 <= reader.rest
    else { return nil }
    var times: [Int64] = []
    for _ in 0..<counts.times {
      guard let time = reader.integer(bytes: 8), times.last.map({ $0 < time }) ?? true else { return nil }
      times.append(time)
    }
    var indexes: [Int] = []
    for _ in 0..<counts.times {
      guard let index = reader.integer(bytes: 1, isSigned: false), index < counts.types else { return nil }
      indexes.append(Int(index))
    }
    var types: [Int] = []
    for _ in 0..<counts.types {
      guard let offset = reader.integer(bytes: 4), abs(offset) <= 26 * 3600, reader.skip(2) else { return nil }
      types.append(Int(offset))
    }
    guard reader.skip(counts.characters + counts.leaps * 12 + counts.standard + counts.universal),
      let footer = reader.line()
    else { return nil }
    self.times = times
    offsets = indexes.map { types[$0] }
    first = types[0]
    self.footer = PosixZone(footer)
    if !footer.isEmpty, self.footer == nil { return nil }
  }

  func segment(at moment: Int64) -> Segment {
    guard let last = times.last, moment < last else {
      return footer?.segment(at: moment) ?? Segment(offset: offsets.last ?? first, end: nil)
    }
    // The number of times up to this moment.
    var (low, high) = (0, times.count)
    while low < high {
      let middle = (low + high) / 2
      if times[middle] <= moment { low = middle + 1 } else { high = middle }
    }
    return Segment(offset: low == 0 ? first : offsets[low - 1], end: times[low])
  }

  private struct Reader {
    let bytes: [UInt8]
    var place = 0
    var rest: Int { bytes.count - place }

    struct Counts {
      var version: UInt8
      var universal, standard, leaps, times, types, characters: Int
    }

    mutating func header() -> Counts? {
      guard rest >= 44, bytes[place..<place + 4].elementsEqual("TZif".utf8) else { return nil }
      let version = bytes[place + 4]
      place += 20
      var counts: [Int] = []
      for _ in 0..<6 {
        guard let count = integer(bytes: 4, isSigned: false), count < 1 << 20 else { return nil }
        counts.append(Int(count))
      }
      return Counts(
        version: version, universal: counts[0], standard: counts[1], leaps: counts[2], times: counts[3],
        types: counts[4], characters: counts[5])
    }

    mutating func skip(_ count: Int) -> Bool {
      guard count <= rest else { return false }
      place += count
      return true
    }

    mutating func integer(bytes count: Int, isSigned: Bool = true) -> Int64? {
      guard count <= rest else { return nil }
      var value: Int64 = isSigned && bytes[place] >= 0x80 ? -1 : 0
      for byte in bytes[place..<place + count] { value = value << 8 | Int64(byte) }
      place += count
      return value
    }

    /// The text between two line ends.
    mutating func line() -> String? {
      guard rest >= 2, bytes[place] == UInt8(ascii: "\n"),
        let end = bytes[(place + 1)...].firstIndex(of: UInt8(ascii: "\n"))
      else { return nil }
      return String(decoding: bytes[place + 1..<end], as: UTF8.self)
    }
  }
}
