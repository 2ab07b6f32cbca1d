package import Core
import Synchronization

/// A call that was not allowed.
package struct PermissionDenied: Failure {
  /// The code scripts compare, and which the exit status goes by.
  package static let code = "permission_denied"

  /// As the script gets it, which does not hear where links lead.
  package let message: String
  package let hint: String?
  package var code: String { Self.code }

  /// - Parameter start: a flag among the words behind the script allows nothing.
  init(_ access: Access, _ start: Permissions.Start = .init()) {
    let flags = (access.obstacle == nil ? [access.permission.flag] : []) + ["--allow-all", "-A"]
    let misplaced = start.words.lazy.map { String($0.prefix { $0 != "=" }) }.first(where: flags.contains)
    let hint = { (access: Access) in
      if let job = start.job, access.obstacle == nil {
        return
          "write '-- needs: \(start.need(for: access))' into the first comment of the script, let the server read it again "
          + "(SIGHUP), and allow it: b2c-run jobs allow \(ShellWord.quoted(job))"
      }
      guard let misplaced else { return access.obstacle?.advice ?? "run with \(access.flag)" }
      return access.obstacle.map { "\($0.advice); the \(misplaced) after the script is an argument of the script" }
        ?? "run with \(access.flag) before the script: the \(misplaced) after the script is an argument of the script"
    }
    let told = access.told
    message = told.sentence
    self.hint = hint(told)
    let said = Said(message: message, hint: self.hint, sentence: access.sentence, advice: hint(access))
    Self.said.withLock { all in
      all.append(said)
      if all.count > Self.mostSaid { all.removeFirst(Self.mostSaid / 2) }
    }
  }

  private struct Said {
    let message: String
    let hint: String?
    /// The same for a person, who decides about the file that a link leads to.
    let sentence: String
    let advice: String
  }

  private static let said = Mutex([Said]())
  private static let mostSaid = 1000

  /// The texts of a failure that came back from a script, if the failure is a denial just as the host made it. A
  /// person decides by it which flag to give.
  package static func decision(of failure: some Failure) -> (message: DecisionText, hint: DecisionText?)? {
    let wanted = (failure.message, failure.hint)
    guard failure.code == code, let said = said.withLock({ $0.last { ($0.message, $0.hint) == wanted } }) else {
      return nil
    }
    return (DecisionText(said.sentence), DecisionText(said.advice))
  }
}

/// The access that a call wants, in words for people.
package struct Access: Sendable {
  package let permission: Permission
  /// The file, origin, variable or command, as it may be shown: see `shown`.
  package let thing: String
  /// The call: `io.open`.
  package let call: String
  /// The flag that would allow this and no more, where there is no obstacle.
  package let flag: String
  /// Why no permission of its own kind will do; nil where one does.
  let obstacle: Obstacle?
  /// The thing as a script may hear of it; nil for the same.
  private let unresolved: String?

  enum Obstacle: Sendable {
    /// Devices, and what the kernel tells of processes.
    case system
    /// The accounts, their keys, journals, settings.
    case host
    /// The path holds a NUL, behind which some would read on and others not.
    case cutShort
    /// The path has more bytes than the system takes.
    case tooLong
    /// An action of the host's on what is not the script's, such as another provider's account. A person may allow it.
    case action

    /// The way out, which is never to allow everything.
    var advice: String {
      switch self {
      case .system: "devices and the kernel's files are closed to scripts: give the script an ordinary file"
      case .cutShort: "no path holds a NUL: give the path without it"
      case .tooLong: "a path has 4095 bytes at most: give a shorter one"
      case .action: "a person has to agree: run the script on a terminal, or use the command of b2c-run that does this"
      case .host: "the host's own files are closed to scripts: give the script a copy, in a separate folder"
      }
    }
  }

  /// - Parameter unresolved: the path with no link followed.
  init(
    _ permission: Permission, _ thing: String, value: String?, unresolved: String? = nil, call: String,
    obstacle: Obstacle? = nil
  ) {
    self.permission = permission
    self.unresolved = unresolved
    self.thing = Self.shown(thing)
    self.call = call
    self.obstacle = obstacle
    flag = permission.flag + (value.map { "=" + ShellWord.quoted(Grants.spelled($0)) } ?? "")
  }

  /// An action on what is the host's own. `action` stands behind "needs permission to".
  init(action: String, call: String) {
    permission = .write
    unresolved = nil
    thing = Self.shown(action)
    self.call = call
    obstacle = .action
    flag = ""
  }

  /// The same as a script may hear of it.
  var told: Access {
    guard let unresolved else { return self }
    return Access(permission, unresolved, value: unresolved, call: call, obstacle: obstacle)
  }

  /// `io.open: needs permission to read /etc/hosts`
  package var sentence: String {
    if obstacle == .action { return "\(call): needs permission to \(thing)" }
    let whose = obstacle == .host ? ", which is a file of the host's own" : ""
    return "\(call): needs permission \(permission.phrase) \(thing)\(whose)"
  }

  /// The effect of the answer `A`: `reading everything`; nil where `A` would allow no more than a yes.
  package var everything: String? { obstacle == .action ? nil : permission.everything }
}
