import Core
import Files
import Glibc
import JOSE
import JSON

/// The folders of plugins that a person trusts, in `$XDG_STATE_HOME/b2c-run/trusted-plugins`: a line for each, with the
/// digest of the contents and the folder's path. Several runs may add to it at the same time.
///
/// A file beside it has the digests of a folder's files, so that the next question can name the changed ones. It counts only
/// if the digest over it is among the lines.
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

  /// Returns whether the user trusts the folder in its present state.
  func contains(_ folder: PluginFolder) -> Bool { lines.contains(Self.line(folder)) }

  /// Returns whether the user trusted the folder in an earlier state.
  func knows(_ folder: PluginFolder) -> Bool { lines.contains { $0.dropFirst(66) == Self.escaped(folder.path) } }

  /// The folder as a person trusted it last; nil if that is not known.
  func last(of folder: PluginFolder) -> PluginFolder? {
    guard let bytes = self.folder.flatMap({ Self.read(Self.files(of: folder, in: $0)) }),
      let members = try? JSON(parsing: bytes).object
    else { return nil }
    let last = PluginFolder(
      path: folder.path, files: members.compactMapValues { $0.string.flatMap { Base64URL.decode($0) } })
    return contains(last) ? last : nil
  }

  /// Remembers that a person trusts the folder as it is.
  /// - Returns: the system's words for a failure; nil for success.
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

  /// Follows no link: its target may be writable for scripts.
  private static func read(_ path: String) -> [UInt8]? {
    try? PluginFile.contents(at: path, limit: longest, followsLink: false)
  }

  /// - Returns: the system's words for a failure; nil for success.
  private static func write(_ text: String, to path: String, _ flag: CInt) -> String? {
    do throws(FileFailure) {
      try OpenFile(path, Opening(O_WRONLY | O_CREAT | flag | O_NOFOLLOW, mode: 0o600)).write(text.utf8)
      return nil
    } catch {
      return error.reason
    }
  }

  /// In the format of sha256sum.
  private static func line(_ folder: PluginFolder) -> String { "\(folder.digest)  \(escaped(folder.path))" }

  private static func escaped(_ path: String) -> String {
    path.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
  }
}
