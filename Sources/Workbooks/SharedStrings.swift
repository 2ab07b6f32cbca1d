import Markup

/// The texts of a workbook, which cells name by their numbers (ECMA-376, part 1, 18.4). One piece of memory holds them all.
/// Unchecked: once they are read, they never change.
final class SharedStrings: XMLStream.Handler, @unchecked Sendable {
  static let mostBytes = 256 << 20

  private var bytes: [UInt8] = []
  private var ends: [Int] = []
  private var isInText = false
  /// The elements with a reading aid for the text, which does not belong to it.
  private var phonetics = 0

  var isFull: Bool { bytes.count > Self.mostBytes }

  func start(_ name: XMLStream.Name, _ attributes: XMLStream.Attributes) {
    switch name {
    case "t": isInText = phonetics == 0
    case "rPh": phonetics += 1
    default: break
    }
  }

  func end(_ name: XMLStream.Name) {
    switch name {
    case "t": isInText = false
    case "rPh": phonetics -= 1
    case "si": ends.append(bytes.count)
    default: break
    }
  }

  func text(_ piece: UnsafeBufferPointer<UInt8>) { if isInText, !isFull { bytes += piece } }

  /// The text with that number, counting from 0; nil if there is none.
  subscript(index: Int) -> ArraySlice<UInt8>? {
    guard ends.indices.contains(index) else { return nil }
    return bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
  }
}
