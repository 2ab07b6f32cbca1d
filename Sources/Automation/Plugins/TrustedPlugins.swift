import Core
import Crypto
import Files
import Glibc
import HostLoop
import JSON
import Permissions

/// The folders of plugins that a person trusts, in `$XDG_STATE_HOME/b2c-run/trusted-plugins`: a line for each, with the
/// digest of the contents and the folder's path. Several runs may add to it at the same time.
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

  /// Remembers that a person trusts the folder as it is. Returns the system's words for a failure; nil for success.
  func add(_ folder: PluginFolder) -> String? {
    guard let state = self.folder else { return "neither XDG_STATE_HOME nor HOME is an absolute path" }
    let files = Self.files(of: folder, in: state)
    try? PrivateFolder.make(files.parentFolder)
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

/// The Lua files in a folder of plugins, as a person trusts them: with their names and contents.
struct PluginFolder {
  /// Absolute, with every link followed.
  let path: String
  /// SHA-256 of each file's contents, by its name below the folder.
  let files: [String: [UInt8]]
  /// SHA-256 over the names and contents, in hexadecimal digits.
  let digest: String

  private static let mostFiles = 2000
  private static let mostBytes = 32 << 20
  private static let deepest = 16

  /// Nil for a folder with too many files, or with files that cannot be read.
  init?(_ folder: String) {
    guard let path = FileSystem.realPath(folder) else { return nil }
    var names: [String] = []
    guard Self.collect("", in: path, 0, &names) else { return nil }
    var files: [String: [UInt8]] = [:]
    var size = 0
    for name in names {
      guard let contents = Self.contents("\(path)/\(name)") else { return nil }
      size += contents.count
      guard size <= Self.mostBytes else { return nil }
      files[name] = SHA256.hash(contents)
    }
    self.init(path: path, files: files)
  }

  init(path: String, files: [String: [UInt8]]) {
    self.path = path
    self.files = files
    var bytes: [UInt8] = []
    for (name, hash) in files.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      // No name has a NUL in it, and all digests have the same length, so that other contents give other bytes.
      bytes += Array(name.utf8) + [0] + hash
    }
    digest = SHA256.hash(bytes).hexadecimal
  }

  func changes(since earlier: PluginFolder) -> [(what: String, name: String)] {
    Set(files.keys).union(earlier.files.keys).sorted().compactMap { name in
      switch (earlier.files[name], files[name]) {
      case (nil, _): ("new", name)
      case (_, nil): ("removed", name)
      case (let before, let now): before == now ? nil : ("changed", name)
      }
    }
  }

  /// Adds the names of all Lua files, also of modules. A link to a folder is added as it is: its target is a part of the
  /// trusted contents.
  private static func collect(_ prefix: String, in folder: String, _ depth: Int, _ names: inout [String]) -> Bool {
    guard depth <= deepest, let entries = try? FileSystem.names(in: folder) else { return false }
    for entry in entries {
      switch FileSystem.kind(of: "\(folder)/\(entry)", followsLink: false) {
      case S_IFDIR:
        guard collect("\(prefix)\(entry)/", in: "\(folder)/\(entry)", depth + 1, &names) else { return false }
      case S_IFLNK where FileSystem.isFolder("\(folder)/\(entry)"): names.append(prefix + entry)
      case _ where entry.hasSuffix(".lua"): names.append(prefix + entry)
      default: break
      }
      guard names.count <= mostFiles else { return false }
    }
    return true
  }

  /// The target of a link to a folder, or else the contents of the file.
  private static func contents(_ path: String) -> [UInt8]? {
    guard FileSystem.isFolder(path) else { return try? PluginFile.contents(at: path, limit: mostBytes) }
    return FileSystem.target(ofLink: path)
  }
}

extension ScriptRun {
  /// The most files that a question names.
  private nonisolated static let mostNamed = 12

  /// The sources of this run's plugins. The plugins of the current folder are among them only if a person trusts them. On a
  /// terminal the person is asked once; the answer yes is kept until something in the folder changes.
  package func settledPlugins() throws -> PluginSources {
    var sources = configuration.plugins
    let files = sources.trustsFolderAtHand || sources.folderAtHand == nil ? [] : sources.all().filter(\.isAtHand)
    sources.trustsFolderAtHand = try files.isEmpty || isTrusted(files, in: sources)
    if !sources.trustsFolderAtHand { sources.folderAtHand = nil }
    return sources
  }

  /// Remembers that a person trusts the plugins of the current folder as they are. Throws `not_trusted` on failure.
  package func trustPlugins() throws {
    guard let path = configuration.plugins.folderAtHand, !PluginFile.all(in: path).isEmpty else { return }
    guard let folder = PluginFolder(path) else {
      throw PluginsNotTrusted(message: "the plugins cannot be trusted: \(Self.unreadable) in \(path)")
    }
    let trusted = TrustedPlugins(stateFolder: Self.stateFolder)
    guard !trusted.contains(folder), let problem = trusted.add(folder) else { return }
    throw PluginsNotTrusted(message: "the trust in the plugins could not be saved: \(problem)")
  }

  private nonisolated static let unreadable = "there are too many files, or some that cannot be read,"

  private func isTrusted(_ files: [PluginFile], in sources: PluginSources) throws -> Bool {
    let folder = sources.folderAtHand.flatMap { PluginFolder($0) }
    let trusted = TrustedPlugins(stateFolder: Self.stateFolder)
    if let folder, trusted.contains(folder) { return true }
    if sources.isForList { return false }
    let isKnown = folder.map(trusted.knows) ?? false
    let named = changes(folder, trusted, sources) ?? files.map(\.shown)
    let names = named.prefix(Self.mostNamed).map(Access.shown)
    let others = named.count > names.count ? ["and \(named.count - names.count) more"] : []
    if configuration.mayAsk, PermissionPrompt.canAsk, let folder {
      let what = isKnown ? "plugins that have changed since they were trusted" : "plugins"
      let prompt = prompt
      let isTrusted = prompt.confirm(
        ["\(Access.shown(folder.path.displayable)) has \(what):"] + (names + others).map { prompt.clipped("  \($0)") }
          + [
            "  They run with every script in this folder, with the permissions of the script.",
            "  They run with the stock commands, too, and can read the files that you name there, such as FILE of import.",
          ],
        "Trust them, until they change?")
      try Task.checkCancellation()
      if isTrusted == true, let problem = trusted.add(folder) {
        session.console.log(.warn, "the trust in the plugins could not be saved: \(problem)")
      }
      return isTrusted ?? false
    }
    let reason =
      folder == nil
      ? "\(Self.unreadable) among them"
      : isKnown ? "they have changed since they were trusted" : "nobody has trusted them"
    session.console.log(
      .warn,
      "plugins are not used, because \(reason): \((names + others).joined(separator: ", ")); --trust-plugins uses them")
    return false
  }

  /// The new, changed and removed files since the last yes: `changed plugins/words.lua`.
  private func changes(_ folder: PluginFolder?, _ trusted: TrustedPlugins, _ sources: PluginSources) -> [String]? {
    guard let folder, let last = trusted.last(of: folder), let path = sources.folderAtHand else { return nil }
    return folder.changes(since: last).map { "\($0.what) \("\(path)/\($0.name)".displayable)" }
  }

  private nonisolated static var stateFolder: String? {
    UserFolder.state.path { getenv($0).map { String(path: $0) } }
  }
}

struct PluginsNotTrusted: Failure {
  let message: String
  var code: String { "not_trusted" }
  var hint: String? { nil }
}
