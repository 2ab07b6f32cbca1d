import Files

/// A script that ships with the program and is run by its name: `b2c-run sign-in`.
package struct StockScript: Sendable {
  package let name: String
  package let path: String

  /// All stock scripts, sorted by name.
  package static func all(in folder: String) -> [StockScript] {
    let files = (try? FileSystem.names(in: folder)) ?? []
    return files.filter { $0.hasSuffix(".lua") }.sorted()
      .map { StockScript(name: String($0.dropLast(4)), path: "\(folder)/\($0)") }
  }

  /// The first line of its first comment.
  package var summary: String {
    guard let bytes = try? FileSystem.contents(of: path) else { return "" }
    return String(decoding: bytes, as: UTF8.self).prefix { $0 != "\n" }.drop { $0 == "-" || $0 == " " }.description
  }
}
