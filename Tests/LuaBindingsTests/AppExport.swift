import FoundationEssentials
import JSON
import Testing

/// A file of another app with the tasks that it means, in a variant of the same content.
struct AppExport: Sendable, CustomTestStringConvertible {
  /// The forms in which apps, spreadsheets and browsers leave one content.
  enum Variant: String, CaseIterable {
    case plain, mark, lineEnds, utf16, unicodeText, semicolons, pretty
  }

  let app: String
  let file: String
  let variant: Variant

  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Exports")

  /// All files in all variants that suit them.
  static let all: [AppExport] = apps.flatMap { app in
    names(in: folder.appending(path: app).path).filter { !$0.hasSuffix(".expected.ndjson") }.flatMap { file in
      Variant.allCases.map { AppExport(app: app, file: file, variant: $0) }.filter { $0.suits }
    }
  }

  static let apps = names(in: folder.path)

  private static func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }

  var testDescription: String { "\(app)/\(file), \(variant.rawValue)" }

  private var url: URL { Self.folder.appending(path: app).appending(path: file) }
  private var ending: String { file.split(separator: ".").last.map { $0.lowercased() } ?? "" }

  private var suits: Bool {
    guard variant != .plain else { return true }
    guard let data = try? Data(contentsOf: url), String(validating: data, as: UTF8.self) != nil else { return false }
    switch ending {
    case "csv":
      let hasMark = data.starts(with: [0xEF, 0xBB, 0xBF])
      let isOfCommas = !data.contains(UInt8(ascii: ";")) || variant != .semicolons
      return variant != .pretty && !(hasMark && variant == .mark) && isOfCommas
    case "json": return [.mark, .lineEnds, .pretty].contains(variant)
    case "ics", "txt", "taskpaper": return [.mark, .lineEnds].contains(variant)
    default: return false
    }
  }

  /// The bytes of the file in this variant.
  func bytes() throws -> Data {
    let data = try Data(contentsOf: url)
    guard variant != .plain else { return data }
    var text = String(decoding: data, as: UTF8.self)
    if text.hasPrefix("\u{FEFF}") { text.removeFirst() }
    switch variant {
    case .plain: return data
    case .mark: return Data([0xEF, 0xBB, 0xBF]) + Data(text.utf8)
    case .lineEnds: return Data(text.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n").utf8)
    case .utf16: return Self.utf16(text)
    case .unicodeText: return Self.utf16(Self.separated(text, by: "\t"))
    case .semicolons: return Data(Self.separated(text, by: ";").utf8)
    case .pretty: return Data(try JSON(parsing: text).bytes(pretty: true) { _ in true } ?? [])
    }
  }

  private static func utf16(_ text: String) -> Data {
    Data([0xFF, 0xFE]) + Data(text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
  }

  /// A table with another separator, as a spreadsheet saves it.
  private static func separated(_ text: String, by separator: Character) -> String {
    let isOfSemicolons = text.prefix { $0 != "\r\n" && $0 != "\n" }.contains(";")
    var isQuoted = false
    return String(
      text.map { character in
        if character == "\"" { isQuoted.toggle() }
        return !isQuoted && character == (isOfSemicolons ? ";" : ",") ? separator : character
      })
  }

  /// The error about a file that is not read; nil for the others.
  func refusal() throws -> String? { try expected().first?["refused"]?.string }

  /// The tasks that the file means, one object each.
  func expected() throws -> [JSON] {
    try String(contentsOf: url.appendingPathExtension("expected.ndjson"), encoding: .utf8).split(separator: "\n").map {
      try JSON(parsing: String($0))
    }
  }
}
