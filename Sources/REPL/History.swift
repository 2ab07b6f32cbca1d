import Diagnostics
import Glibc
import Secrets

/// What was typed in earlier sessions: `$XDG_STATE_HOME/b2c-run/history`, a line each, for its owner alone.
///
/// Sessions at the same time add to it without taking anything from each other.
struct History {
  /// Lines that are kept.
  static let limit = 1000

  private let path: String?
  private(set) var lines: [String] = []

  init() {
    path = Self.folder().map { "\($0)/history" }
    guard let path else { return }
    lines = Self.read(path)
    guard lines.count > 2 * Self.limit else {
      lines = lines.suffix(Self.limit)
      return
    }
    lines = lines.suffix(Self.limit)
    let shorter = "\(path).\(getpid())"
    guard Self.write(lines.map { $0 + "\n" }.joined(), to: shorter, O_TRUNC) else { return }
    rename(shorter, path)
  }

  /// Adds a line, without the secrets that are known in it. One that cannot be written is forgotten with the session.
  mutating func add(_ line: String) {
    let clean = Redaction.clean(line)
    guard !clean.allSatisfy(\.isWhitespace), clean != lines.last else { return }
    lines.append(clean)
    if let path { _ = Self.write(clean + "\n", to: path, O_APPEND) }
  }

  private static func folder() -> String? {
    guard let path = UserFolder.state.path({ getenv($0).map { String(cString: $0) } }) else { return nil }
    var folder = ""
    for part in path.split(separator: "/") {
      folder += "/\(part)"
      mkdir(folder, 0o700)
    }
    return folder
  }

  private static func read(_ path: String) -> [String] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while case let count = Glibc.read(file, &chunk, chunk.count), count > 0, bytes.count < 16 << 20 {
      bytes += chunk[..<count]
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private static func write(_ text: String, to path: String, _ mode: Int32) -> Bool {
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | mode, 0o600)
    guard file >= 0 else { return false }
    defer { close(file) }
    fchmod(file, 0o600)
    let bytes = Array(text.utf8)
    return Glibc.write(file, bytes, bytes.count) == bytes.count
  }
}
