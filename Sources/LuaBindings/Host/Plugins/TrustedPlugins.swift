import Glibc

/// The folders of plugins that a person trusts, in `$XDG_STATE_HOME/b2c-run/trusted-plugins`: a line each, with the digest
/// of what was there and the folder's path. Several runs may add to it at the same time.
struct TrustedPlugins {
  private static let longest = 4 << 20

  private let path: String?
  private let lines: [String]

  /// - Parameter stateFolder: nil where there is none.
  init(stateFolder: String?) {
    path = stateFolder.map { "\($0)/trusted-plugins" }
    // What a link leads to is not kept from scripts.
    let bytes = path.flatMap { PluginFile.contents(at: $0, limit: Self.longest, followsLink: false) } ?? []
    lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Whether somebody trusts the folder as it is.
  func contains(_ folder: PluginFolder) -> Bool { lines.contains(Self.line(folder)) }

  /// Whether somebody has trusted it as it was.
  func knows(_ folder: PluginFolder) -> Bool { lines.contains { $0.dropFirst(66) == Self.escaped(folder.path) } }

  /// Remembers that somebody trusts the folder as it is.
  /// - Returns: what went wrong, in the system's words; nil if nothing did.
  func add(_ folder: PluginFolder) -> String? {
    guard let path else { return "neither XDG_STATE_HOME nor HOME is an absolute path" }
    var parent = ""
    for part in path.split(separator: "/").dropLast() {
      parent += "/\(part)"
      mkdir(parent, 0o700)
    }
    let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return String(cString: strerror(errno)) }
    defer { close(file) }
    let bytes = Array("\(Self.line(folder))\n".utf8)
    return write(file, bytes, bytes.count) == bytes.count ? nil : String(cString: strerror(errno))
  }

  /// As sha256sum writes it.
  private static func line(_ folder: PluginFolder) -> String { "\(folder.digest)  \(escaped(folder.path))" }

  private static func escaped(_ path: String) -> String {
    path.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
  }
}
