import Glibc

extension CSVDialect {
  private static let sampleSize = 64 << 10
  private static let mostRows = 100

  /// Finds the dialect of the table at the buffer's window. It is that of RFC 4180 unless the first rows fit another one better.
  init(_ buffer: FileBuffer, separator: UInt8) throws(ImportError) {
    self.init(separator: separator)
    guard !buffer.isSheet else { return }
    let sample = try buffer.sample(Self.sampleSize)
    let isWhole = buffer.isAtEnd
    if Self.isDoubled(sample, separator) {
      var doubled = self
      doubled.repeats = 2
      // Each row needs to be doubled, not the header alone.
      let (own, other) = (fit(sample, isWhole: isWhole), doubled.fit(sample, isWhole: isWhole))
      if other.stripped > 1, other.stripped >= own.rows { repeats = 2 }
    }
    hasBlanks = Self.blanks(sample, separator, repeats)
    var best = (dialect: self, fit: fit(sample, isWhole: isWhole))
    for candidate in alternatives(sample) {
      let fit = candidate.fit(sample, isWhole: isWhole)
      let begins = sample.first == candidate.quote && fit.rows >= best.fit.rows && fit.quoted > best.fit.quoted
      // One row more may come from a stray quote.
      if fit.rows > best.fit.rows + 1 || begins { best = (candidate, fit) }
    }
    self = best.dialect
  }

  /// The dialects that the text gives a reason for: a backslash before a quote, and an apostrophe before a field.
  private func alternatives(_ sample: UnsafeRawBufferPointer) -> [CSVDialect] {
    var found: [CSVDialect] = []
    var escaping = self
    escaping.escape = UInt8(ascii: "\\")
    if Self.has(UInt8(ascii: "\\"), sample, where: { $0 + 1 < sample.count && sample[$0 + 1] == quote }) {
      found.append(escaping)
    }
    let apostrophe = UInt8(ascii: "'")
    let before = [separator, UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: " ")]
    if Self.has(apostrophe, sample, where: { $0 == 0 || before.contains(sample[$0 - 1]) }) {
      var other = self
      other.quote = apostrophe
      found.append(other)
    }
    return found
  }

  /// True if the byte stands at a place that fits.
  private static func has(_ byte: UInt8, _ sample: UnsafeRawBufferPointer, where fits: (Int) -> Bool) -> Bool {
    guard let base = sample.baseAddress else { return false }
    var start = 0
    while let found = memchr(base + start, Int32(byte), sample.count - start) {
      let place = UnsafeRawPointer(found) - base
      if fits(place) { return true }
      start = place + 1
    }
    return false
  }

  private struct Fit {
    /// The rows that are as wide as the first.
    var rows = 0
    /// The quotes around their fields.
    var quoted = 0
    /// The number of lines whose separators are doubled.
    var stripped = 0
  }

  /// How well the dialect fits the first rows of the sample. A broken row is passed over by its
  /// first line.
  private func fit(_ sample: UnsafeRawBufferPointer, isWhole: Bool) -> Fit {
    var rest = sample
    var width: Int?
    var fit = Fit()
    for _ in 0..<Self.mostRows where !rest.isEmpty {
      var cursor = CSVCursor(rest, isLast: isWhole, isSheet: false, dialect: self, line: 1, fields: [])
      do {
        switch try cursor.next() {
        case .incomplete: return fit
        case .emptyLine: break
        case .row:
          let count = cursor.fields.count
          if isPadded { cursor.strip(0, self) }
          if cursor.fields.count == width ?? cursor.fields.count {
            fit.rows += 1
            fit.quoted += cursor.quotes
            if cursor.fields.count < count { fit.stripped += 1 }
          }
          width = width ?? cursor.fields.count
        }
        rest = UnsafeRawBufferPointer(rebasing: rest[cursor.position...])
      } catch {
        let end = rest.firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } ?? rest.count - 1
        rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
      }
    }
    return fit
  }

  /// The first line without its line break.
  private static func line(_ sample: UnsafeRawBufferPointer) -> [UInt8] {
    Array(
      sample.drop { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.prefix {
        $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r")
      })
  }

  /// True if each separator of the first line stands beside another one.
  private static func isDoubled(_ sample: UnsafeRawBufferPointer, _ separator: UInt8) -> Bool {
    var runs: [Int] = []
    var length = 0
    for byte in line(sample) + [0] {
      if byte == separator {
        length += 1
      } else if length > 0 {
        runs.append(length)
        length = 0
      }
    }
    return !runs.isEmpty && runs.allSatisfy { $0 == 2 }
  }

  /// True if a blank stands behind each separator of the first line.
  private static func blanks(_ sample: UnsafeRawBufferPointer, _ separator: UInt8, _ repeats: Int) -> Bool {
    guard separator != UInt8(ascii: " ") else { return false }
    let line = line(sample)
    let places = line.indices.filter { line[$0] == separator && ($0 + 1 == line.count || line[$0 + 1] != separator) }
    return !places.isEmpty && places.allSatisfy { $0 + 1 < line.count && line[$0 + 1] == UInt8(ascii: " ") }
  }
}
