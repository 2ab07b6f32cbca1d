import CMicrohttpdShims
import Glibc

/// The fields of a header, and whether they are all that was sent.
///
/// The library's strings lie in the header as it came. A NUL in one of them, a folded line and a line that does not end with
/// CR LF leave a gap between two of them.
struct HeaderReading {
  private(set) var fields: [(String, String)] = []
  private(set) var isWhole = true
  /// The end of the last string in the library's memory; nil if the library reads elsewhere.
  private var end: UnsafePointer<CChar>?

  private static let lineEnd = 2

  init(targetEnd: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?) {
    fields.reserveCapacity(8)
    guard cmhd_reads_in_place(), let targetEnd, let version, version.pointee != 0 else { return }
    isWhole = version - targetEnd == 1
    end = version + strlen(version)
  }

  mutating func add(_ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>) {
    fields.append((String(cString: name), String(cString: value)))
    guard isWhole, let end else { return }
    let nameEnd = name + strlen(name)
    isWhole = name - end == Self.lineEnd && value > nameEnd && Self.areBlank(nameEnd + 1, before: value)
    self.end = value + strlen(value)
  }

  /// - Parameter start: where a header of `size` bytes begins.
  mutating func finish(from start: UnsafePointer<CChar>, _ size: Int) {
    guard isWhole, let end, size > 0 else { return }
    isWhole = start + size - end == 2 * Self.lineEnd
  }

  /// The blanks behind the colon.
  private static func areBlank(_ start: UnsafePointer<CChar>, before end: UnsafePointer<CChar>) -> Bool {
    UnsafeBufferPointer(start: start, count: end - start).allSatisfy { $0 == 0x20 || $0 == 0x09 }
  }
}
