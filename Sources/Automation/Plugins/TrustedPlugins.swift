import Core
import Files
import Glibc
import JOSE
import JSON

/// The folders of plugins that a person trusts, in `$XDG_STATE_HOME/b2c-run/trusted-plugins`: a line each, with the digest
/// of what was there and the folder's path. Several runs may add to it at the same time.
///
/// What the files of a folder were, so that the next question can name those that are others, is in a file of its own beside
/// it. That one is only believed as far as its digest is among the lines.
struct TrustedPlugins {
  private static let longest = 4 << 20

  private let folder: String?
  private let lines: [String]

  /// - Parameter stateFolder: nil where there is none.
  init(stateFolder: String?) {
    folder = stateFolder
    lines = String(decoding: stateFolder.flatMap { Self.read(Self.list(in: $0)) } ?? [], as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }

  /// Whether somebody trusts the folder as it is.
  func contains(_ folder: PluginFolder) -> Bool { lines.contains(Self.line(folder)) }

  /// Whether somebody has trusted it as it was.
  func knows(_ folder: PluginFolder) -> Bool { lines.contains { $0.dropFirst(66) == Self.escaped(folder.path) } }

  /// The folder as somebody has trusted it last; nil where that is not known.
  func last(of folder: PluginFolder) -> PluginFolder? {
    guard let bytes = self.folder.flatMap({ Self.read(Self.files(of: folder, in: $0)) }),
      let members = try? JSON(parsing: bytes).object
    else { return nil }
    let last = PluginFolder(
      path: folder.path, files: members.compactMapValues { $0.string.flatMap { Base64URL.decode($0) } })
    return contains(last) ? last : nil
  }

  /// Remembers that somebody trusts the folder as it is.
  /// - Returns: what went wrong, in the system's words; nil if nothing did.
  func add(_ folder: PluginFolder) -> String? {
    guard let state = self.folder else { return "neither XDG_STATE_HOME nor HOME is an absolute path" }
    let files = Self.files(of: folder, in: state)
    var parent = ""
    for part in files.split(separator: "/").dropLast() {
      parent += "/\(part)"
      mkdir(parent, 0o700)
    }
    let hashes = JSON.object(folder.files.mapValues { .string(Base64URL.encode($0)) })
    return Self.write("\(hashes.encoded())\n", to: files, O_TRUNC)
      ?? Self.write("\(Self.line(folder))\n", to: Self.list(in: state), O_APPEND)
  }

  private static func list(in folder: String) -> String { "\(folder)/trusted-plugins" }

  private static func files(of folder: PluginFolder, in state: String) -> String {
    "\(state)/trusted-plugin-files/\(SHA256.hash(folder.path.utf8).hexadecimal).json"
  }

  /// What a link leads to is not kept from scripts.
  private static func read(_ path: String) -> [UInt8]? {
    try? PluginFile.contents(at: path, limit: longest, followsLink: false)
  }

  /// - Returns: what went wrong, in the system's words; nil if nothing did.
  private static func write(_ text: String, to path: String, _ flag: CInt) -> String? {
    do throws(FileFailure) {
      try OpenFile(path, Opening(O_WRONLY | O_CREAT | flag | O_NOFOLLOW, mode: 0o600)).write(text.utf8)
      return nil
    } catch {
      return error.reason
    }
  }

  /// As sha256sum writes it.
  private static func line(_ folder: PluginFolder) -> String { "\(folder.digest)  \(escaped(folder.path))" }

  private static func escaped(_ path: String) -> String {
    path.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
  }
}
