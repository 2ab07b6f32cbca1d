import Crypto
import Databases
import JSON

/// A user in the tenant's directory.
package struct User: Sendable {
  /// `oid` and `sub` in tokens.
  package let id: String
  package let username: String
  package let email: String
  package internal(set) var displayName: String
  let otp: TimeBasedPassword?
  let phone: String?
  /// False for a user who signs in with codes only.
  let hasPassword: Bool
  /// The attributes of a sign-up by native authentication.
  let attributes: [String: String]
}

struct DirectoryStore {
  enum Authentication {
    case success(User)
    /// AADB2C90225: the user is unknown or the password is wrong.
    case wrongCredentials
    /// AADB2C90114: there were too many wrong passwords in a row. The password is not checked.
    case locked
  }

  private static let failureLimit = 5
  /// The number of seconds by the tenant's clock.
  private static let lockDuration = 60

  private let database: SQLiteConnection
  private let clock: TenantClock
  /// A hash to compare with the password of an unknown user: the response time must not reveal which users exist.
  private let nobody: String

  init(_ database: SQLiteConnection, _ clock: TenantClock) throws {
    self.database = database
    self.clock = clock
    nobody = try PasswordHash.make(SecureRandom.token())
  }

  // MARK: Users

  /// Adds the documented users if the directory has no users.
  func seed() throws {
    guard try database.first("SELECT 1 FROM users LIMIT 1") == nil else { return }
    for user in Contoso.seeds {
      _ = try add(user.username, password: user.password, email: user.email, displayName: user.displayName)
    }
  }

  /// - Parameters:
  ///   - password: nil for a user who signs in with codes only.
  ///   - otp: the secret of the authenticator app in Base32.
  /// - Throws: `user_exists`, `invalid_user`.
  func add(
    _ username: String, password: String?, email: String? = nil, displayName: String? = nil, otp secret: String? = nil,
    phone: String? = nil, attributes: [String: String] = [:]
  ) throws -> User {
    let username = username.trimmingSpaces
    guard !username.isEmpty, username.utf8.count <= 128, !username.contains(where: \.isNewline) else {
      throw TenantError.invalid("user", "a user name must have between 1 and 128 characters")
    }
    guard password?.isEmpty != true else { throw TenantError.invalid("user", "the password of \(username) is empty") }
    let otp = try secret.map { try Self.oneTimePassword($0, username) }
    let user = User(
      id: GUID.random(), username: username,
      email: email ?? (username.contains("@") ? username : "\(username)@contoso.example"),
      displayName: displayName.flatMap { $0.isEmpty ? nil : $0 } ?? username, otp: otp,
      phone: try phone.map { try Self.phoneNumber($0, username) }, hasPassword: password != nil, attributes: attributes)
    // A user can sign in with the user name or the email address, so neither may belong to another user.
    for name in [user.username, user.email] where try find(name) != nil { throw Self.exists(name) }
    do {
      try database.execute(
        """
        INSERT INTO users (id, username, email, display_name, password, otp, phone, attributes)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        .text(user.id), .text(user.username), .text(user.email), .text(user.displayName),
        .text(try password.map(PasswordHash.make) ?? ""), secret.map(SQLValue.text) ?? .null,
        user.phone.map(SQLValue.text) ?? .null,
        .text(JSON.object(attributes.mapValues(JSON.string)).encoded()))
    } catch let error as SQLiteError where error.kind == .constraint { throw Self.exists(username) }
    return user
  }

  private static func exists(_ name: String) -> TenantError {
    TenantError(code: "user_exists", message: "there is already a user named \(name)", hint: "choose another user name")
  }

  private static func oneTimePassword(_ secret: String, _ username: String) throws(TenantError) -> TimeBasedPassword {
    if let otp = TimeBasedPassword(secret: secret) { return otp }
    throw .invalid(
      "user", "the otp of \(username) is no Base32 secret",
      hint: "use letters A to Z and digits 2 to 7, such as JBSWY3DPEHPK3PXP")
  }

  private static func phoneNumber(_ text: String, _ username: String) throws(TenantError) -> String {
    let number = text.filter { !" -()./".contains($0) }
    let digits = number.dropFirst()
    guard number.first == "+", (7...15).contains(digits.count), digits.allSatisfy({ ("0"..."9").contains($0) }) else {
      throw .invalid(
        "user", "the phone of \(username) is not a phone number: \(text)",
        hint: "write it with the country's code, such as +15550100")
    }
    return number
  }

  /// Removes the user and the user's tasks. The refresh tokens stay, so that their use is answered with AADB2C90128.
  func remove(_ user: User) throws {
    try database.transaction {
      try database.execute("DELETE FROM idempotency WHERE owner = ?", .text(user.id))
      try database.execute("DELETE FROM tasks WHERE owner = ?", .text(user.id))
      try database.execute("DELETE FROM users WHERE id = ?", .text(user.id))
    }
  }

  /// Finds a user by user name or email address, ignoring the case of ASCII letters.
  func find(_ name: String) throws -> User? { try row(name).map(Self.user) }

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

  private func row(_ name: String) throws -> Row? {
    try database.first("SELECT * FROM users WHERE username = ?1 OR email = ?1 ORDER BY username <> ?1", .text(name))
  }

  private static func user(_ row: Row) -> User {
    User(
      id: row["id"].text ?? "", username: row["username"].text ?? "", email: row["email"].text ?? "",
      displayName: row["display_name"].text ?? "", otp: row["otp"].text.flatMap(TimeBasedPassword.init),
      phone: row["phone"].text, hasPassword: row["password"].text != "",
      attributes: (try? JSON(parsing: row["attributes"].text ?? ""))?.object?.compactMapValues(\.string) ?? [:])
  }

  // MARK: Passwords

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

  /// Returns true if this is the user's password. Unlike `authenticate`, it does not count wrong passwords.
  func isPassword(_ password: String, of user: User) throws -> Bool {
    PasswordHash.matches(password, try row(user.username)?["password"].text ?? nobody)
  }

  /// Returns true if too many wrong passwords or codes have locked the account.
  func isLocked(_ user: User) throws -> Bool {
    Int(try row(user.username)?["locked_until"].integer ?? 0) > clock.elapsed
  }

  private func countFailure(_ before: Int64, _ user: User) throws {
    let isLast = before + 1 >= Self.failureLimit
    try database.execute(
      "UPDATE users SET failures = ?, locked_until = ? WHERE id = ?", .integer(isLast ? 0 : before + 1),
      .integer(isLast ? Int64(clock.elapsed + Self.lockDuration) : 0), .text(user.id))
  }

  /// Locks the account, as too many wrong passwords do.
  func lock(_ user: User) throws { try countFailure(Int64(Self.failureLimit), user) }

  private func unlock(_ user: User) throws {
    try database.execute("UPDATE users SET failures = 0, locked_until = 0 WHERE id = ?", .text(user.id))
  }

  /// Changes the password and unlocks the account.
  func setPassword(_ password: String, of user: User) throws {
    try database.execute(
      "UPDATE users SET password = ? WHERE id = ?", .text(try PasswordHash.make(password)), .text(user.id))
    try unlock(user)
  }

  // MARK: Codes of authenticator apps

  /// Returns true if the code is valid in the user's authenticator app now. Each code is valid once.
  func redeem(code: String, of user: User) throws -> Bool {
    guard let otp = user.otp, let step = otp.step(of: code, at: clock.elapsed, used: try usedStep(user)) else {
      return false
    }
    try database.execute("UPDATE users SET otp_step = ? WHERE id = ?", .integer(Int64(step)), .text(user.id))
    return true
  }

  /// The first code that `redeem` accepts: the current code or the next one. Throws `no_otp`, `otp_used`.
  func currentCode(of user: User) throws -> String {
    guard let otp = user.otp else {
      throw TenantError(
        code: "no_otp", message: "\(user.username) has no authenticator app",
        hint: "add the user with otp = a secret in Base32; codes sent by message are in the outbox")
    }
    let now = TimeBasedPassword.step(at: clock.elapsed)
    let step = max(now, try usedStep(user) + 1)
    guard step <= now + 1 else {
      throw TenantError(
        code: "otp_used", message: "\(user.username) has used the current code and the next one",
        hint: "let \(TimeBasedPassword.period) seconds pass")
    }
    return otp.code(step: step)
  }

  private func usedStep(_ user: User) throws -> Int {
    Int(try database.first("SELECT otp_step FROM users WHERE id = ?", .text(user.id))?[0].integer ?? -1)
  }

  // MARK: Logout URIs

  /// The application's logout URI, which the browser loads in a frame when a session ends.
  func frontChannelLogoutURI(of application: Application) throws -> String? {
    try database.first("SELECT uri FROM front_channel_logout WHERE client = ?", .text(application.id))?[0].text
  }

  /// Nil removes the URI. Throws `invalid_uri`.
  func setFrontChannelLogoutURI(_ uri: String?, of application: Application) throws {
    guard let uri else {
      return try database.execute("DELETE FROM front_channel_logout WHERE client = ?", .text(application.id))
    }
    guard LoopbackURI(uri) != nil else {
      throw TenantError(
        code: "invalid_uri", message: "the front-channel logout URI is no URL of this machine: \(uri)",
        hint: "use one such as http://127.0.0.1:8080/signed-out")
    }
    try database.execute("INSERT OR REPLACE INTO front_channel_logout VALUES (?, ?)", .text(application.id), .text(uri))
  }
}
