import Core
import HostLoop
import LocalTenant

/// Sign-ins of many users, several at the same time, while the users move from B2C to External ID.
@HostActor
final class Move {
  private static let atOnce = 8
  private let signIns: Int
  private let users: [(name: String, password: String)]
  private var moving = RehearsalResult.Moving()
  private var moved = 0

  init(signIns: Int) {
    self.signIns = signIns
    users = (0..<max(4, min(100, signIns / 10))).map { ("member\($0)", "Looking-glass-\($0)") }
  }

  func run(progress: @HostActor (String) -> Void) async throws -> RehearsalResult.Moving {
    let (old, new) = (try RehearsalTenant(.b2c), try RehearsalTenant(.externalID))
    defer {
      old.stop()
      new.stop()
    }
    for user in users { try old.tenant.addUser(username: user.name, password: user.password) }
    let hook = try LegacyHook(Dictionary(uniqueKeysWithValues: users.map { ($0.name, $0.password) }))
    defer { hook.stop() }
    let directory = MovingDirectory(new, hook)
    moving.users = users.count
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<signIns {
        try Task.checkCancellation()
        if number >= Self.atOnce { try await group.next() }
        // The users move bit by bit, so that some are at the old directory until the last sign-ins.
        while moved < users.count, moved * signIns < number * users.count {
          try directory.add(users[moved].name)
          moved += 1
        }
        group.addTask { [self] in try await signIn(number, old, directory) }
        if number % 100 == 0 { progress("\(number) of \(signIns) sign-ins") }
      }
      try await group.waitForAll()
    }
    moving.migrated = moved - directory.waiting.count
    return moving
  }

  /// One sign-in: at External ID if the user has been moved, else at B2C. Each tenth has a wrong password.
  private func signIn(_ number: Int, _ old: RehearsalTenant, _ directory: MovingDirectory) async throws {
    let index = number * 7919 % users.count
    let user = users[index]
    let isWrong = number % 10 == 9
    let password = isWrong ? "\(user.password)-wrong" : user.password
    let isSignedIn: Bool
    if index < moved {
      isSignedIn = try await directory.signIn(user.name, password) == .signedIn
      moving.atNew += 1
    } else {
      isSignedIn = try await old.takes(user.name, password)
      moving.atOld += 1
    }
    moving.signIns += 1
    if isWrong, isSignedIn { moving.wrongLetIn.append("\(user.name), sign-in \(number)") }
    if !isWrong, !isSignedIn { moving.lockedOut.append("\(user.name), sign-in \(number)") }
  }
}
