import Core
package import HostLoop
import JSON
import LocalTenant

/// A rehearsal of the move from Azure AD B2C to External ID, with two tenants in this process.
@HostActor
package final class Rehearsal {
  package private(set) var result = RehearsalResult()
  private let signIns: Int

  /// - Parameter signIns: the number of sign-ins while the users move.
  package init(signIns: Int) { self.signIns = signIns }

  package func run(progress: @HostActor (String) -> Void) async throws {
    progress("comparing what an application sees")
    let (old, new) = (try RehearsalTenant(.b2c), try RehearsalTenant(.externalID))
    defer {
      old.stop()
      new.stop()
    }
    result.rows = try await Comparison(old: old, new: new).rows()
    progress("breaking the hook")
    result.breaks = try await breaks()
    result.moving = try await Move(signIns: signIns).run(progress: progress)
  }

  /// Breaks the hook in each way, each with another user: nobody may be let in wrongly, nobody stays outside.
  private func breaks() async throws -> [RehearsalResult.Break] {
    let users = HookFault.allCases.enumerated().map { index, fault in (fault, "user\(index)", "Wonderland-\(index)!") }
    let hook = try LegacyHook(Dictionary(uniqueKeysWithValues: users.map { ($0.1, $0.2) }))
    defer { hook.stop() }
    let external = try RehearsalTenant(.externalID)
    defer { external.stop() }
    let directory = MovingDirectory(external, hook)
    var breaks: [RehearsalResult.Break] = []
    for (fault, user, password) in users {
      try directory.add(user)
      hook.set(fault)
      let right = try await directory.signIn(user, password)
      let wrong = try await directory.signIn(user, password + "x")
      hook.set(nil)
      let after = try await directory.signIn(user, password)
      let again = try await directory.signIn(user, password)
      breaks.append(
        RehearsalResult.Break(
          fault: fault, seen: Self.text(right), letsWrongIn: wrong == .signedIn || right == .signedIn,
          recovers: after == .signedIn && again == .signedIn))
    }
    return breaks
  }

  private static func text(_ end: MovingDirectory.End) -> String {
    switch end {
    case .signedIn: "signed in"
    case .refused: "the password is called wrong"
    case .failed(let reason): "try again later (\(reason))"
    }
  }
}

/// The result of a rehearsal.
package struct RehearsalResult: Sendable {
  /// One thing that an application sees at both tenants.
  package struct Row: Sendable {
    package let area: String
    package let name: String
    package let old: String
    package let new: String
    /// The change of an application; nil where nothing has to change.
    package let advice: String?
    package var isSame: Bool { old == new }
  }

  /// One way in which the hook was broken.
  package struct Break: Sendable {
    package let fault: HookFault
    /// The end of the sign-in, as the user sees it.
    package let seen: String
    package let letsWrongIn: Bool
    /// True if the user signs in as soon as the hook works.
    package let recovers: Bool
    package var isGood: Bool { !letsWrongIn && recovers }
  }

  /// The sign-ins while the users moved.
  package struct Moving: Sendable {
    package var users = 0
    package var signIns = 0
    package var atOld = 0
    package var atNew = 0
    package var migrated = 0
    /// Sign-ins with the right password that failed.
    package var lockedOut: [String] = []
    /// Sign-ins with a wrong password that did not fail.
    package var wrongLetIn: [String] = []
    package var isGood: Bool { lockedOut.isEmpty && wrongLetIn.isEmpty }
  }

  package internal(set) var rows: [Row] = []
  package internal(set) var breaks: [Break] = []
  package internal(set) var moving = Moving()

  package var isGood: Bool { breaks.allSatisfy(\.isGood) && moving.isGood }
}
