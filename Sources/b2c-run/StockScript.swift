import FoundationEssentials

/// A script that ships with the program and is run by its name: `b2c-run sign-in`.
struct StockScript {
  let name: String
  let path: String

  /// Those there are, sorted by name.
  static func all(in folder: String) -> [StockScript] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.filter { $0.hasSuffix(".lua") }.sorted()
      .map { StockScript(name: String($0.dropLast(4)), path: "\(folder)/\($0)") }
  }

  static func find(_ name: String, in folder: String) -> StockScript? { all(in: folder).first { $0.name == name } }

  /// What it does: the comment it begins with.
  var summary: String {
    guard let text = try? String(contentsOf: URL(filePath: path), encoding: .utf8) else { return "" }
    return text.prefix { $0 != "\n" }.drop { $0 == "-" || $0 == " " }.description
  }
}
