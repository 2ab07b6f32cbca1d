import Crypto

/// The device codes (RFC 8628). They are in memory only, because they expire after 15 minutes.
struct DeviceGrants {
  enum State {
    case pending, denied
    case granted(GrantStore.Grant)
  }

  struct Code: Expiring {
    let userCode: String
    let clientID: String
    let scope: String
    /// The parameters `resource` and `authorization_details` for the authorization endpoint.
    let others: [(String, String)]
    /// The canonical name of the policy.
    let policy: String
    let expires: Int
    var state = State.pending
    var lastAsked: ContinuousClock.Instant?
  }

  /// The lifetime in seconds.
  static let lifetime = 900
  static let interval = 1

  let clock: TenantClock
  /// The codes by the hash of the device code.
  let codes: ExpiringStore<Code>

  func begin(_ client: Application, _ scope: Scope, others: [(String, String)], policy: String) -> (
    deviceCode: String, userCode: String
  ) {
    let deviceCode = SecureRandom.token(48)
    var userCode = Self.makeUserCode()
    while codes.key(where: { $0.userCode == userCode }) != nil { userCode = Self.makeUserCode() }
    codes.add(
      Code(
        userCode: userCode, clientID: client.id, scope: scope.text, others: others, policy: policy,
        expires: clock.elapsed + Self.lifetime), as: GrantStore.hash(deviceCode))
    return (deviceCode, userCode)
  }

  func code(_ deviceCode: String) -> Code? { codes[GrantStore.hash(deviceCode)] }

  /// True if the device respects the polling interval, with some tolerance for the time of a response.
  func isPatient(_ deviceCode: String) -> Bool {
    let hash = GrantStore.hash(deviceCode)
    let now = ContinuousClock.now
    defer { codes[hash]?.lastAsked = now }
    return codes[hash]?.lastAsked.map { now - $0 >= .milliseconds(500 * Self.interval) } ?? true
  }

  func forget(_ deviceCode: String) { codes.remove(GrantStore.hash(deviceCode)) }

  /// The pending code that the user typed. Letter case and the dash do not matter.
  func pending(userCode typed: String, policy: String) -> Code? { key(typed, policy).flatMap { codes[$0] } }

  /// Returns false if the code has expired or is not pending.
  func decide(userCode: String, policy: String, _ state: State) -> Bool {
    guard let key = key(userCode, policy) else { return false }
    codes[key]?.state = state
    return true
  }

  private func key(_ typed: String, _ policy: String) -> String? {
    let letters = typed.uppercased().filter { $0.isLetter || $0.isNumber }
    return codes.key { code in
      guard case .pending = code.state, code.policy == policy else { return false }
      return code.userCode.filter { $0 != "-" } == letters
    }
  }

  /// Makes a code of letters that form no words and look unlike each other (§6.1): 20^8 codes.
  private static func makeUserCode() -> String {
    let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
    let picked = SecureRandom.bytes(8).map { letters[Int($0) % letters.count] }
    return "\(String(picked[..<4]))-\(String(picked[4...]))"
  }
}
