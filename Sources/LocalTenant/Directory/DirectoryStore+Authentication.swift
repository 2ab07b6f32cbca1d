import SQLite

/// The result of checking a user name and a password.
enum Authentication {
  case success(User)
  /// AADB2C90225: the user is unknown or the password is wrong.
  case wrongCredentials
  /// AADB2C90114: there were too many wrong passwords in a row. The password is not checked.
  case locked
}

extension DirectoryStore {
  /// The number of wrong passwords in a row that locks an account.
  static let failureLimit = 5
  /// The number of seconds by the tenant's clock.
  static let lockDuration = 60

  /// B2C's message for `Authentication.locked`.
  static let lockedText = "Your account is temporarily locked to prevent unauthorized use. Try again later."

  /// Checks a password and counts wrong ones. The password of a locked account is not checked.
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

  /// Locks the account, as too many wrong passwords do.
  func lock(_ user: User) throws {
    try countFailure(Int64(Self.failureLimit), user)
  }

  private func unlock(_ user: User) throws {
    try database.execute("UPDATE users SET failures = 0, locked_until = 0 WHERE id = ?", .text(user.id))
  }

  /// Changes the password and unlocks the account.
  func setPassword(_ password: String, of user: User) throws {
    try database.execute(
      "UPDATE users SET password = ? WHERE id = ?", .text(try PasswordHash.make(password)), .text(user.id))
    try unlock(user)
  }
}
