package import Files
package import HTTPClient
package import HostLoop

/// What one run may do: what is granted from the start, by flags, and by the person who was asked.
@HostActor
package final class Permissions {
  /// What a person says when asked; nil where nobody can be asked.
  package enum Answer: Sendable {
    case yes, no
    /// Yes, and to everything else of that kind.
    case all
  }

  /// Asks the person; nil where nobody can be asked.
  package var ask: (@HostActor (Access) -> Answer?)?
  /// The origins of the run's settings, read when the first connection is about to be made.
  package var settingsOrigins: @HostActor () -> Set<Origin> = { [] }

  /// What stands behind the script on the command line.
  package var scriptArguments: [String] = []

  let base: ResolvedPath.Bytes
  var grants: Grants
  let places: [NetworkPlace]
  /// Folders and files that may be read or written with all that is in them.
  var paths: [Permission: [ResolvedPath]] = [:]
  /// What a person typed behind a command that ships with the host: exactly these.
  var typed: Set<ResolvedPath> = []
  var variables: Set<String> = []
  /// What is the host's own, found when a file is first asked for: most runs ask for none, and each link on the way is a call of the kernel.
  lazy var hostFiles = protected()
  /// How they are found.
  var protected: @HostActor () -> HostFiles
  var origins: Set<Origin> = []
  private var answers: [Question: Bool] = [:]

  private struct Question: Hashable {
    let permission: Permission
    /// Bytes, for two spellings of a letter are two names.
    let thing: [UInt8]
  }

  /// - Parameters:
  ///   - grants: what the command line allows.
  ///   - base: the folder that relative paths are relative to.
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

  func denial(of access: Access) -> PermissionDenied { PermissionDenied(access, behindScript: scriptArguments) }

  func allowsAll(of permission: Permission) -> Bool {
    grants.allowsEverything || grants.whole.contains(permission)
  }

  /// What nothing grants: the person decides, once.
  func demand(_ access: Access, about thing: some Sequence<UInt8>) throws(PermissionDenied) {
    let question = Question(permission: access.permission, thing: Array(thing))
    if let answer = answers[question] {
      if answer { return }
      throw denial(of: access)
    }
    guard access.obstacle == nil, let answer = ask?(access) else { throw denial(of: access) }
    if answer == .all { grants.allowAll(of: access.permission) }
    answers[question] = answer != .no
    if answer == .no { throw denial(of: access) }
  }
}
