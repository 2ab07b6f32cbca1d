import Crypto

/// The requests that wait for a user on another device (CIBA Core). They are in memory only, because they expire soon.
final class BackchannelGrants {
  enum State { case pending, granted, denied }

  struct Request: Expiring {
    /// The name of the request on the status page, which does not give tokens.
    let pageID: String
    let clientID: String
    let user: User
    let scope: String
    /// The canonical name of the policy.
    let policy: String
    let message: String?
    let acr: String?
    /// The place in the order of the requests.
    let number: Int
    let expires: Int
    var state = State.pending
    /// The time of the user's answer.
    var answered = 0
    var lastAsked: ContinuousClock.Instant?
  }

  /// The lifetime in seconds, also the longest that a client can ask for.
  static let lifetime = 600
  static let interval = 1

  private let clock: TenantClock
  /// The requests by the hash of `auth_req_id`.
  private let requests: ExpiringStore<Request>
  /// The answers to the next requests, by the ID of the user.
  private var answers: [String: [Bool]] = [:]
  private var count = 0

  init(_ clock: TenantClock) {
    self.clock = clock
    requests = ExpiringStore(clock)
  }

  /// - Returns: `auth_req_id`.
  func begin(
    _ client: Application, _ user: User, _ scope: Scope, policy: String, message: String?, acr: String?, lifetime: Int
  ) -> String {
    let id = SecureRandom.token(48)
    count += 1
    requests.add(
      Request(
        pageID: SecureRandom.token(), clientID: client.id, user: user, scope: scope.text, policy: policy,
        message: message, acr: acr, number: count, expires: clock.elapsed + lifetime), as: GrantStore.hash(id))
    if let agrees = answers[user.id]?.first {
      answers[user.id]?.removeFirst()
      decide(GrantStore.hash(id), agrees)
    }
    return id
  }

  func request(_ id: String) -> Request? { requests[GrantStore.hash(id)] }

  /// True if the client respects the polling interval, with some tolerance for the time of a response.
  func isPatient(_ id: String) -> Bool {
    let hash = GrantStore.hash(id)
    let now = ContinuousClock.now
    defer { requests[hash]?.lastAsked = now }
    return requests[hash]?.lastAsked.map { now - $0 >= .milliseconds(500 * Self.interval) } ?? true
  }

  func forget(_ id: String) { requests.remove(GrantStore.hash(id)) }

  /// The requests that wait for an answer, oldest first.
  var pending: [Request] {
    requests.current.filter { $0.state == .pending }.sorted { $0.number < $1.number }
  }

  /// Answers the user's oldest request that waits, or else the next one.
  /// - Returns: false if no request waits.
  func answer(_ user: User, agrees: Bool) -> Bool {
    if let oldest = pending.first(where: { $0.user.id == user.id }) {
      return answer(page: oldest.pageID, agrees: agrees)
    }
    answers[user.id, default: []].append(agrees)
    return false
  }

  /// - Returns: false if the request has expired or has been answered.
  func answer(page id: String, agrees: Bool) -> Bool {
    guard let key = requests.key(where: { $0.pageID == id && $0.state == .pending }) else { return false }
    decide(key, agrees)
    return true
  }

  private func decide(_ key: String, _ agrees: Bool) {
    requests[key]?.state = agrees ? .granted : .denied
    requests[key]?.answered = clock.now
  }
}

extension LocalTenant {
  /// Answers a backchannel request for the user: the oldest one that waits, or else the next one.
  /// - Returns: false if no request waits.
  /// - Throws: `unknown_user`.
  @discardableResult
  package func answerBackchannel(_ username: String, agrees: Bool) throws(TenantError) -> Bool {
    try withEngine { engine in
      guard let user = try engine.directory.find(username) else {
        throw TenantError(code: "unknown_user", message: "the local tenant has no user \(username)")
      }
      return engine.backchannel.answer(user, agrees: agrees)
    }
  }

  /// Lets only this party act for the users of later access tokens (`may_act`): a user name or the ID of an application. Nil
  /// ends that.
  /// - Throws: `unknown_user`.
  package func setMayAct(_ name: String?) throws(TenantError) {
    try withEngine { engine in
      guard let name else {
        engine.behavior.actor = nil
        return
      }
      guard let id = try engine.directory.find(name)?.id ?? engine.clients.application(name)?.id else {
        throw TenantError(code: "unknown_user", message: "the local tenant has no user and no application \(name)")
      }
      engine.behavior.actor = id
    }
  }
}
