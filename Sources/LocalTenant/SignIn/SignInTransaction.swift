import JOSE

/// A sign-in between the authorization request and its answer.
struct SignInTransaction {
  /// Cannot be guessed; a hidden field of the forms.
  let id: String
  let request: AuthorizationRequest
  let scope: Scope
  /// What the browser that began it has as a cookie: a form of another site can neither read nor send it.
  let browser: String
  let expires: Int
}

/// The transactions and the sessions. They are forgotten when the tenant stops, as a browser's are when it is closed.
struct SignInState {
  struct Session {
    let userID: String
    let authTime: Int
    /// The same as the tenant's elapsed time.
    let opened: Int
    let expires: Int
  }

  private static let transactionLifetime = 3600
  private static let sessionLifetime = 86_400
  private static let capacity = 10_000

  private var transactions: [String: SignInTransaction] = [:]
  private var sessions: [String: Session] = [:]

  mutating func begin(
    _ request: AuthorizationRequest, _ scope: Scope, browser: String, elapsed: Int
  ) -> SignInTransaction {
    if transactions.count >= Self.capacity { transactions = transactions.filter { $0.value.expires > elapsed } }
    if transactions.count >= Self.capacity { transactions = [:] }
    let transaction = SignInTransaction(
      id: SecureRandom.token(), request: request, scope: scope, browser: browser,
      expires: elapsed + Self.transactionLifetime)
    transactions[transaction.id] = transaction
    return transaction
  }

  func transaction(_ id: String, browser: String?, elapsed: Int) -> SignInTransaction? {
    transactions[id].flatMap { $0.browser == browser && $0.expires > elapsed ? $0 : nil }
  }

  mutating func end(_ transaction: SignInTransaction) {
    transactions[transaction.id] = nil
  }

  mutating func open(userID: String, authTime: Int, elapsed: Int) -> String {
    if sessions.count >= Self.capacity { sessions = sessions.filter { $0.value.expires > elapsed } }
    if sessions.count >= Self.capacity { sessions = [:] }
    let id = SecureRandom.token()
    sessions[id] = Session(userID: userID, authTime: authTime, opened: elapsed, expires: elapsed + Self.sessionLifetime)
    return id
  }

  func session(_ id: String?, elapsed: Int) -> Session? {
    id.flatMap { sessions[$0] }.flatMap { $0.expires > elapsed ? $0 : nil }
  }

  mutating func close(_ id: String?) {
    if let id { sessions[id] = nil }
  }
}
