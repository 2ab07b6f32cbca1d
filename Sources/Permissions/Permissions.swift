import Core
package import Files
package import HTTPClient
package import HostLoop

/// The permissions of one run: from the start, by flags, and by the person who was asked.
@HostActor
package final class Permissions {
  /// The answer of a person.
  package enum Answer: Sendable {
    case yes, no
    /// Yes, and to everything else of that kind.
    case all
  }

  /// Asks the person; nil where nobody can be asked.
  package var ask: (@HostActor (Access) -> Answer?)?
  /// The origins of the run's settings, read when the first connection is about to be made.
  package var settingsOrigins: @HostActor () -> Set<Origin> = { [] }

  /// The start of the script, by which a denial names the way out.
  package struct Start: Sendable {
    /// The words behind the script on the command line.
    package var words: [String] = []
    /// The name of the job whose run it is; nil for a script that a person has started. Nobody gives flags to a job.
    package var job: String?
    /// The files whose coming started the run of the job.
    package var files: [String] = []

    /// The flag that the script of a job names. The files of the next event have other names, and lie in the same folder.
    func need(for access: Access) -> String {
      let name = access.thing.lastName
      guard [.read, .write].contains(access.permission), files.contains(where: { name.hasPrefix($0.lastName) }) else {
        return access.flag
      }
      let folder = access.thing.parentFolder
      let base = String(pathBytes: ResolvedPath.currentFolder)
      let shown =
        folder == base ? "." : folder.hasPrefix(base + "/") ? String(folder.dropFirst(base.count + 1)) : folder
      return "\(access.permission.flag)=\(ShellWord.quoted(Grants.spelled(shown)))"
    }
  }

  package var start = Start()

  /// True if the run is of a command that ships with the host, which a person has typed.
  package internal(set) var isOfStockCommand = false

  let base: ResolvedPath.Bytes
  var grants: Grants
  let places: [NetworkPlace]
  /// Folders and files that may be read or written with all that is in them.
  var paths: [Permission: [ResolvedPath]] = [:]
  var typed = TypedFiles()
  var variables: Set<String> = []
  /// The host's own files, found at the first access to a file: most runs make none, and each link costs a system call.
  lazy var hostFiles = protected()
  var protected: @HostActor () -> HostFiles
  var origins: Set<Origin> = []
  private var answers: [Question: Bool] = [:]

  private struct Question: Hashable {
    let permission: Permission
    let isAction: Bool
    /// Bytes, for two spellings of a letter are two names.
    let thing: [UInt8]
  }

  /// `grants` is what the command line allows, `base` the folder that relative paths are relative to.
  package init(_ grants: Grants, base: ResolvedPath.Bytes = ResolvedPath.currentFolder) {
    self.grants = grants
    self.base = base
    protected = { HostFiles(paths: [], open: [], beginnings: [], base: base) }
    // Flags were checked when they were read.
    places = (grants.values[.net] ?? []).compactMap { try? NetworkPlace($0) }
    variables = Set(grants.values[.env] ?? [])
    for permission in [Permission.read, .write] {
      paths[permission] = (grants.values[permission] ?? []).map { ResolvedPath($0, from: base) }
    }
  }

  func denial(of access: Access) -> PermissionDenied {
    PermissionDenied(access, start)
  }

  func allowsAll(of permission: Permission) -> Bool {
    grants.allowsEverything || grants.whole.contains(permission)
  }

  /// Asks the person about an access that nothing grants; the answer holds for the run.
  func demand(_ access: Access, about thing: some Sequence<UInt8>) throws(PermissionDenied) {
    let question = Question(permission: access.permission, isAction: access.obstacle == .action, thing: Array(thing))
    if let answer = answers[question] {
      if answer { return }
      throw denial(of: access)
    }
    let mayAsk = access.obstacle == nil || access.obstacle == .action
    guard mayAsk, let answer = ask?(access) else { throw denial(of: access) }
    if answer == .all, access.obstacle == nil { grants.allowAll(of: access.permission) }
    answers[question] = answer != .no
    if answer == .no { throw denial(of: access) }
  }
}
