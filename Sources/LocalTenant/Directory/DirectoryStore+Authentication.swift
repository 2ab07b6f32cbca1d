import SQLite

/// What a user name and a password are good for.
enum Authentication {
  case success(User)
  /// AADB2C90225: no such user, or another password.
  case wrongCredentials
  /// AADB2C90114: too many wrong passwords in a row, whatever this one is.
  case locked
}

extension DirectoryStore {
  /// Wrong passwords in a row that lock an account.
  static let failureLimit = 5
  /// Seconds, by the tenant's clock.
  static let lockDuration = 60

  /// B2C's words for `Authentication.locked`.
  static let lockedText = "Your account is temporarily locked to prevent unauthorized use. Try again later."

  /// Checks a password, and counts the wrong ones. A locked account's password is not even looked at.
  func authenticate(_ name: String, password: String) throws -> Authentication {
    let row = try row(name.trimmingSpaces)
    if let row, Int(row["locked_until"].integer ?? 0) > clock.elapsed { return .locked }
    let matches = PasswordHash.matches(password, row?["password"].text ?? nobody)
    guard let row else { return .wrongCredentials }
    let user = Self.user(row)
    guard matches else {
      try countFailure(row["failures"].integer ?? 0, user)
      return .wrongCredentials
    }
    if row["failures"].integer != 0 { try unlock(user) }
    return .success(user)
  }

  private func countFailure(_ before: Int64, _ user: User) throws {
    let isLast = before + 1 >= Self.failureLimit
    try database.execute(
      "UPDATE users SET failures = ?, locked_until = ? WHERE id = ?", .integer(isLast ? 0 : before + 1),
      .integer(isLast ? Int64(clock.elapsed + Self.lockDuration) : 0), .text(user.id))
  }

  /// Locks the account, as that many wrong passwords do.
  func lock(_ user: User) throws {
    try countFailure(Int64(Self.failureLimit), user)
  }

  private func unlock(_ user: User) throws {
    try database.execute("UPDATE users SET failures = 0, locked_until = 0 WHERE id = ?", .text(user.id))
  }

  /// A new password also unlocks the account.
  func setPassword(_ password: String, of user: User) throws {
    try database.execute(
      "UPDATE users SET password = ? WHERE id = ?", .text(try PasswordHash.make(password)), .text(user.id))
    try unlock(user)
  }
}
