import Files
import Glibc
import JSON

struct SettingsFile {
  struct Value {
    var name: String
    var value: JSON
    var line: Int?
    /// That of its name, where it is another one.
    var nameLine: Int?
  }

  private static let maximumSize = 1 << 20

  let values: [Value]

  init(path: String) throws(SettingsError) { try self.init(bytes: Self.read(path), path: path) }

  init(bytes: [UInt8], path: String) throws(SettingsError) {
    if path.lowercased().hasSuffix(".json") {
      values = try Self.json(bytes, path)
    } else if bytes.starts(with: Array("bplist".utf8)) {
      values = try BinaryPropertyList.read(bytes, path)
    } else {
      values = try XMLPropertyList(file: path).read(bytes)
    }
  }

  private static func json(_ bytes: [UInt8], _ path: String) throws(SettingsError) -> [Value] {
    let parsed: JSON
    do { parsed = try JSON(parsing: bytes) } catch {
      let place = SettingsPlace(file: path, line: error.line)
      if let placeholder = error.line.flatMap({ unquotedPlaceholder(bytes, line: $0) }) {
        throw SettingsError(
          .placeholder, at: place, "there is still the placeholder \"\(placeholder)\"; put the value there, in quotes")
      }
      let column = error.column.map { "column \($0): " } ?? ""
      throw SettingsError(.malformed, at: place, "not valid JSON: \(column)\(error.reason)")
    }
    guard let members = parsed.object else {
      throw SettingsError(
        .malformed, at: SettingsPlace(file: path, line: 1), "expected an object ({…}), not \(parsed.settingsKind)")
    }
    let lines = Self.lines(of: bytes)
    return members.map { name, value in
      // The parser does not tell where a member stands; its name in quotes and a colon does, first come first served.
      let spelled = JSON.string(name).encoded()
      let line = lines.firstIndex { line in
        line.firstRange(of: spelled).map { line[$0.upperBound...].drop(while: \.isWhitespace).first == ":" } ?? false
      }
      return Value(name: name, value: value, line: line.map { $0 + 1 })
    }.sorted { ($0.line ?? 0, $0.name) < ($1.line ?? 0, $1.name) }
  }

  private static func lines(of bytes: [UInt8]) -> [Substring] {
    String(decoding: bytes, as: UTF8.self).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
  }

  private static func unquotedPlaceholder(_ bytes: [UInt8], line: Int) -> String? {
    let lines = lines(of: bytes)
    return lines.indices.contains(line - 1) ? SettingsPlaceholder.find(in: String(lines[line - 1])) : nil
  }

  static func missing(_ path: String) -> SettingsError {
    SettingsError(
      .notFound, file: path, "the settings file \"\(path)\" does not exist",
      hint: "name another one with --settings FILE, or try the local tenant with --local")
  }

  private static func read(_ path: String) throws(SettingsError) -> [UInt8] {
    do { return try FileSystem.contents(of: path, limit: maximumSize) } catch {
      switch error.number {
      case ENOENT: throw missing(path)
      case EFBIG: throw SettingsError(.malformed, at: SettingsPlace(file: path), "a settings file has at most 1 MiB")
      default:
        throw SettingsError(.unreadable, file: path, "the settings file \"\(path)\" cannot be read: \(error.reason)")
      }
    }
  }
}
