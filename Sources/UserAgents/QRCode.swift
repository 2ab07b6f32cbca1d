import CQRencodeShims
import Core

/// A QR code (ISO/IEC 18004) drawn with half blocks: a character is two modules, one above the other.
struct QRCode {
  /// Light modules around the code: four in the standard; readers manage with two, and the rows of a terminal are few.
  private static let quietZone = 2

  /// Modules on each side, without the quiet zone.
  let width: Int
  private let dark: [Bool]

  static let library = LazyLibrary("libqrencode", package: "libqrencode4", cqrencode_load)

  /// Nil when libqrencode is not there, or the text is longer than what a code holds.
  init?(_ text: String) {
    guard Self.library.isLoaded, let code = cqrencode_encode(text) else { return nil }
    defer { cqrencode_free(code) }
    let width = Int(code.pointee.width)
    self.width = width
    dark = (0..<width * width).map { code.pointee.data[$0] & 1 == 1 }
  }

  var columns: Int { width + 2 * Self.quietZone }
  var rows: Int { (columns + 1) / 2 }

  /// - Parameter usesColor: black on white; else light modules have the text's color, right on a dark terminal, and on
  ///   a light one an inverted code, which most readers take too.
  func lines(usesColor: Bool) -> [String] {
    (0..<rows).map { row in
      let line = (0..<columns).map { column in
        Self.character(top: isLight(2 * row, column), bottom: isLight(2 * row + 1, column), usesColor)
      }.joined()
      return usesColor ? ScreenText.painted(line, "38;5;16;48;5;231") : line
    }
  }

  private func isLight(_ row: Int, _ column: Int) -> Bool {
    let (row, column) = (row - Self.quietZone, column - Self.quietZone)
    guard (0..<width).contains(row), (0..<width).contains(column) else { return true }
    return !dark[row * width + column]
  }

  /// With colors the ink is black, without it is the light of the screen.
  private static func character(top: Bool, bottom: Bool, _ usesColor: Bool) -> String {
    switch (top != usesColor, bottom != usesColor) {
    case (true, true): "█"
    case (true, false): "▀"
    case (false, true): "▄"
    case (false, false): " "
    }
  }
}
