import SQLite

extension DirectoryStore {
  /// Returns true if the code is valid in the user's authenticator app now. Each code is valid once.
  func redeem(code: String, of user: User) throws -> Bool {
    guard let otp = user.otp, let step = otp.step(of: code, at: clock.elapsed, used: try usedStep(user)) else {
      return false
    }
    try database.execute("UPDATE users SET otp_step = ? WHERE id = ?", .integer(Int64(step)), .text(user.id))
    return true
  }

  /// Returns the first code of the user's authenticator app that `redeem` accepts: the current code or the next one.
  /// - Throws: `no_otp`, `otp_used`.
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

  static func oneTimePassword(_ secret: String, _ username: String) throws(TenantError) -> TimeBasedPassword {
    guard let otp = TimeBasedPassword(secret: secret) else {
      throw TenantError(
        code: "invalid_user", message: "the otp of \(username) is no Base32 secret",
        hint: "use letters A to Z and digits 2 to 7, such as JBSWY3DPEHPK3PXP")
    }
    return otp
  }

  /// Returns the phone number without spaces and punctuation.
  static func phoneNumber(_ text: String, _ username: String) throws(TenantError) -> String {
    let number = text.filter { !" -()./".contains($0) }
    let digits = number.dropFirst()
    guard number.first == "+", (7...15).contains(digits.count), digits.allSatisfy({ ("0"..."9").contains($0) }) else {
      throw TenantError(
        code: "invalid_user", message: "the phone of \(username) is no phone number: \(text)",
        hint: "write it with the country's code, such as +15550100")
    }
    return number
  }
}
