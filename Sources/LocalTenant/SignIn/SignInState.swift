import JOSE

/// The transactions and the sessions. They are in memory and end when the tenant stops.
struct SignInState {
  private static let transactionLifetime = 3600
  private static let sessionLifetime = 86_400
  private static let capacity = 10_000

  private var transactions: [String: SignInTransaction] = [:]
  private var sessions: [String: Session] = [:]

  /// - Parameter transaction: makes the transaction from its ID and its time of expiry.
  mutating func begin(elapsed: Int, _ transaction: (String, Int) -> SignInTransaction) -> SignInTransaction {
    if transactions.count >= Self.capacity { transactions = transactions.filter { $0.value.expires > elapsed } }
    if transactions.count >= Self.capacity { transactions = [:] }
    let transaction = transaction(SecureRandom.token(), elapsed + Self.transactionLifetime)
    transactions[transaction.id] = transaction
    return transaction
  }

  func transaction(_ id: String, browser: String?, elapsed: Int) -> SignInTransaction? {
    transactions[id].flatMap { $0.browser == browser && $0.expires > elapsed ? $0 : nil }
  }

  mutating func update(_ transaction: SignInTransaction) {
    transactions[transaction.id] = transaction
  }

  mutating func end(_ transaction: SignInTransaction) {
    transactions[transaction.id] = nil
  }

  /// - Returns: the value of the cookie.
  mutating func open(userID: String, authTime: Int, elapsed: Int) -> String {
    if sessions.count >= Self.capacity { sessions = sessions.filter { $0.value.expires > elapsed } }
    if sessions.count >= Self.capacity { sessions = [:] }
    let cookie = SecureRandom.token()
    sessions[cookie] = Session(
      userID: userID, authTime: authTime, opened: elapsed, expires: elapsed + Self.sessionLifetime)
    return cookie
  }

  func session(_ cookie: String?, elapsed: Int) -> Session? {
    cookie.flatMap { sessions[$0] }.flatMap { $0.expires > elapsed ? $0 : nil }
  }

  mutating func change(_ cookie: String, _ change: (inout Session) -> Void) {
    if var session = sessions[cookie] {
      change(&session)
      sessions[cookie] = session
    }
  }

  @discardableResult
  mutating func close(_ cookie: String?) -> Session? {
    cookie.flatMap { sessions.removeValue(forKey: $0) }
  }

  /// Closes all sessions of the user, in all browsers.
  @discardableResult
  mutating func close(userID: String) -> [Session] {
    let closed = sessions.filter { $0.value.userID == userID }
    for cookie in closed.keys { sessions[cookie] = nil }
    return Array(closed.values)
  }
}

/// The session of a browser, which is the same for all policies of the directory.
struct Session {
  /// `sid` (OpenID Connect Front-Channel Logout 1.0 §3). Unlike the value of the cookie, it is not secret.
  let id = GUID.random()
  let userID: String
  let authTime: Int
  /// The tenant's elapsed time when the session was opened.
  let opened: Int
  let expires: Int
  var hasSecondFactor = false
  /// The applications of the session, with the `iss` that each of them knows.
  var issuers: [String: String] = [:]
}
