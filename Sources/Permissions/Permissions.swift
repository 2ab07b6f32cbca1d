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

  let base: ResolvedPath.Bytes
  var grants: Grants
  let places: [NetworkPlace]
  /// Folders and files that may be read or written with all that is in them.
  var paths: [Permission: [ResolvedPath]] = [:]
  /// What a person typed behind a command that ships with the host: exactly these.
  var typed: Set<ResolvedPath> = []
  var variables: Set<String> = []
  /// Where the host keeps what is its own.
  var hostPaths: [ResolvedPath] = []
  /// How the paths of others begin, such as those of a store in a folder that has more.
  var hostBeginnings: [ResolvedPath] = []
  /// Links that lead to these. Whoever moves one takes the host's files from where they are looked for.
  var hostLinks: [ResolvedPath] = []
  /// Folders among them whose files are there to be read, such as that of plugins.
  var openPaths: [ResolvedPath] = []
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
    // Flags were checked when they were read.
    places = (grants.values[.net] ?? []).compactMap { try? NetworkPlace($0) }
    variables = Set(grants.values[.env] ?? [])
    for permission in [Permission.read, .write] {
      paths[permission] = (grants.values[permission] ?? []).map { ResolvedPath($0, from: base) }
    }
  }

  func allowsAll(of permission: Permission) -> Bool {
    grants.allowsEverything || grants.whole.contains(permission)
  }

  /// What nothing grants: the person decides, once.
  func demand(_ access: Access, about thing: some Sequence<UInt8>) throws(PermissionDenied) {
    let question = Question(permission: access.permission, thing: Array(thing))
    if let answer = answers[question] {
      if answer { return }
      throw PermissionDenied(access)
    }
    guard access.obstacle == nil, let answer = ask?(access) else { throw PermissionDenied(access) }
    if answer == .all { grants.allowAll(of: access.permission) }
    answers[question] = answer != .no
    if answer == .no { throw PermissionDenied(access) }
  }
}
