import Core
import Files
import Glibc

/// `$XDG_STATE_HOME/b2c-run/history`, readable only by its owner. In an entry of several lines, all lines except the
/// first begin with a tab. Concurrent sessions append to the file without losing each other's entries.
struct History {
  static let limit = 1000
  /// The maximum size of the file. This program writes no longer file.
  private static let longest = 16 << 20

  private let path: String?
  private(set) var entries: [String] = []

  init() {
    path = Self.folder().map { "\($0)/history" }
    if let path { entries = Self.shorten(path) }
  }

  /// Returns the last entries of the file, and removes the others if they are many.
  private static func shorten(_ path: String) -> [String] {
    let all = read(path)
    let entries = Array(all.suffix(limit))
    guard all.count > 2 * limit else { return entries }
    let shorter = "\(path).\(getpid())"
    guard write(entries.map(stored).joined(), to: shorter, O_TRUNC) else { return entries }
    FileSystem.rename(shorter, path)
    return entries
  }

  /// Adds the typed text without the known secrets. Text that cannot be written is kept for this session only.
  /// - Parameter hasRun: false if the text has not run: its secrets may be unknown yet, so it is not written.
  mutating func add(_ text: String, hasRun: Bool) {
    let clean = OutputText(typed: text).text
    guard !clean.allSatisfy(\.isWhitespace), clean != entries.last else { return }
    entries.append(clean)
    if hasRun, let path { _ = Self.write(Self.stored(clean), to: path, O_APPEND) }
    guard entries.count > 2 * Self.limit else { return }
    // A session may last for weeks.
    entries = entries.suffix(Self.limit)
    if let path { _ = Self.shorten(path) }
  }

  private static func stored(_ entry: String) -> String {
    entry.drop(while: \.isWhitespace).replacing("\n", with: "\n\t") + "\n"
  }

  private static func folder() -> String? {
    guard let path = UserFolder.state.path({ getenv($0).map { String(path: $0) } }) else { return nil }
    try? FileSystem.makeFolder(path, mode: 0o700)
    return path
  }

  private static func read(_ path: String) -> [String] {
    guard let bytes = try? FileSystem.contents(of: path, limit: longest) else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").reduce(into: []) { entries, line in
      guard line.first == "\t", let last = entries.indices.last else { return entries.append(String(line)) }
      entries[last] += "\n" + line.dropFirst()
    }
  }

  private static func write(_ text: String, to path: String, _ mode: Int32) -> Bool {
    let opening = Opening(O_WRONLY | O_CREAT | O_NOFOLLOW | mode, mode: 0o600)
    guard let file = try? OpenFile(path, opening) else { return false }
    fchmod(file.descriptor, 0o600)
    return (try? file.write(text.utf8)) != nil
  }
}
