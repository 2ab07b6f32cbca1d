import JOSE
import JSON
import SQLite

/// The users in the database.
struct DirectoryStore {
  let database: Connection
  let clock: TenantClock
  /// A hash that is compared with the password of an unknown user, so that the response time does not reveal which
  /// users exist.
  let nobody: String

  init(_ database: Connection, _ clock: TenantClock) throws {
    self.database = database
    self.clock = clock
    nobody = try PasswordHash.make(SecureRandom.token())
  }

  /// Adds the documented users if the directory has no users.
  func seed() throws {
    guard try database.first("SELECT 1 FROM users LIMIT 1") == nil else { return }
    for user in Contoso.seeds { _ = try add(user) }
  }

  /// - Throws: `user_exists`, `invalid_user`.
  func add(_ new: NewUser) throws -> User {
    let username = new.username.trimmingSpaces
    guard !username.isEmpty, username.utf8.count <= 128, !username.contains(where: \.isNewline) else {
      throw TenantError(code: "invalid_user", message: "a user name must have between 1 and 128 characters")
    }
    guard !new.password.isEmpty else {
      throw TenantError(code: "invalid_user", message: "the password of \(username) is empty")
    }
    let otp = try new.otp.map { try Self.oneTimePassword($0, username) }
    let phone = try new.phone.map { try Self.phoneNumber($0, username) }
    let user = User(
      id: GUID.random(), username: username,
      email: new.email ?? (username.contains("@") ? username : "\(username)@contoso.example"),
      displayName: new.displayName.flatMap { $0.isEmpty ? nil : $0 } ?? username, otp: otp, phone: phone)
    // A user can sign in with the user name or the email address, so neither may be the user name or email address of
    // another user.
    for name in [user.username, user.email] where try find(name) != nil { throw Self.exists(name) }
    do {
      try database.execute(
        "INSERT INTO users (id, username, email, display_name, password, otp, phone) VALUES (?, ?, ?, ?, ?, ?, ?)",
        .text(user.id), .text(user.username), .text(user.email), .text(user.displayName),
        .text(try PasswordHash.make(new.password)), new.otp.map(SQLiteValue.text) ?? .null,
        phone.map(SQLiteValue.text) ?? .null)
    } catch let error as SQLiteError where error.kind == .constraint {
      throw Self.exists(username)
    }
    return user
  }

  private static func exists(_ name: String) -> TenantError {
    TenantError(code: "user_exists", message: "there is already a user named \(name)", hint: "choose another user name")
  }

  /// Removes the user and the user's tasks. The refresh tokens stay, so that their use is answered with AADB2C90128.
  /// Returns false if the user is unknown.
  func remove(_ username: String) throws -> Bool {
    guard let user = try find(username) else { return false }
    try database.transaction {
      try database.execute("DELETE FROM idempotency WHERE owner = ?", .text(user.id))
      try database.execute("DELETE FROM tasks WHERE owner = ?", .text(user.id))
      try database.execute("DELETE FROM users WHERE id = ?", .text(user.id))
    }
    return true
  }

  /// Finds a user by user name or email address, ignoring the case of ASCII letters.
  func find(_ name: String) throws -> User? {
    try row(name).map(Self.user)
  }

  /// The first users by name, at most `limit`.
  func users(_ limit: Int) throws -> [User] {
    try database.query("SELECT * FROM users ORDER BY username LIMIT ?", .integer(Int64(limit))).map(Self.user)
  }

  func count() throws -> Int { Int(try database.first("SELECT count(*) FROM users")?[0].integer ?? 0) }

  func user(id: String) throws -> User? {
    try database.first("SELECT * FROM users WHERE id = ?", .text(id)).map(Self.user)
  }

  func setDisplayName(_ name: String, of user: User) throws {
    try database.execute("UPDATE users SET display_name = ? WHERE id = ?", .text(name), .text(user.id))
  }

  func row(_ name: String) throws -> Row? {
    try database.first("SELECT * FROM users WHERE username = ?1 OR email = ?1 ORDER BY username <> ?1", .text(name))
  }

  static func user(_ row: Row) -> User {
    User(
      id: row["id"].text ?? "", username: row["username"].text ?? "", email: row["email"].text ?? "",
      displayName: row["display_name"].text ?? "", otp: row["otp"].text.flatMap(TimeBasedPassword.init),
      phone: row["phone"].text)
  }
}
