import Crypto
import JSON

/// A sign-in, a sign-up or a reset of a password by native authentication.
struct NativeFlow: Expiring {
  enum Kind { case signIn, signUp, reset }

  /// The progress of the flow, which decides which requests take its continuation token.
  enum Progress {
    case started
    /// A code was sent, or a password was asked for.
    case challenged
    /// The user of a sign-up has proved the address.
    case verified
    /// The new password of a reset was received.
    case submitted
    /// The tokens can be requested.
    case finished
  }

  let kind: Kind
  let clientID: String
  let username: String
  /// Nil for a new user.
  var userID: String?
  var progress = Progress.started
  var challengeTypes: Set<String>

  /// The time when the continuation token expires.
  var expires = 0

  /// The code that was sent last, and the time when it expires.
  var code: String?
  var codeExpires = 0
  var wrongCodes = 0

  /// The password of a new user, or the new one of a reset.
  var password: String?
  var attributes: [String: String] = [:]
}

/// The flows of native authentication that are not over, by the hashes of their continuation tokens. A request that
/// succeeds replaces the token; a request that fails leaves it valid.
struct NativeFlows {
  /// The lifetime of a continuation token, in seconds.
  static let lifetime = 600

  private let clock: TenantClock
  private let flows: ExpiringStore<NativeFlow>

  init(_ clock: TenantClock) {
    self.clock = clock
    flows = ExpiringStore(clock)
  }

  /// Returns the token for the next request of the flow.
  func keep(_ flow: NativeFlow) -> String {
    var flow = flow
    flow.expires = clock.elapsed + Self.lifetime
    let token = SecureRandom.token(48)
    flows.add(flow, as: GrantStore.hash(token))
    return token
  }

  /// Returns the flow of a token that is valid for this client and this progress.
  func flow(
    _ token: String, _ kind: NativeFlow.Kind, clientID: String, at allowed: [NativeFlow.Progress]
  ) throws(NativeError) -> NativeFlow {
    guard let flow = flows[GrantStore.hash(token)], flow.clientID == clientID, flow.kind == kind,
      allowed.contains(flow.progress)
    else { throw .invalidToken(kind) }
    guard flow.expires > clock.elapsed else { throw .expiredToken }
    return flow
  }

  /// Stores changes of a flow that goes on with the same token.
  func update(_ token: String, _ flow: NativeFlow) { flows[GrantStore.hash(token)] = flow }

  func end(_ token: String) { flows.remove(GrantStore.hash(token)) }
}
