import Core
import Crypto
import HTTPServer
import JOSE
import JSON
import Synchronization

/// A hook that knows the passwords of the old directory, as somebody would write it; it can break in each way.
final class LegacyHook: Sendable {
  /// Seconds that External ID waits for an answer, in the rehearsal.
  static let patience = 0.3

  let publicKey: JWK
  private let server: HTTPServer
  private let answers: Answers

  var url: String { "http://127.0.0.1:\(answers.fault == .unreachable ? 9 : server.port)/hook" }

  /// - Parameter passwords: those of the old directory, by user name.
  init(_ passwords: [String: String]) throws {
    let key = try PrivateKey.generate(
      try PrivateKey.Kind(type: nil, curve: nil, bits: nil, algorithm: "RSA-OAEP"))
    guard let half = key.publicKey else { throw JOSEError(.invalidKey, "the key of the hook has no public half") }
    publicKey = half
    let answers = Answers(key, passwords)
    self.answers = answers
    server = try HTTPServer { answers.answer($0) }
  }

  func stop() { server.stop() }

  /// Breaks the hook from now on; nil mends it.
  func set(_ fault: HookFault?) { answers.fault = fault }
}

private final class Answers: Sendable {
  private let key: PrivateKey
  private let passwords: [String: String]
  private let state = Mutex<HookFault?>(nil)

  init(_ key: PrivateKey, _ passwords: [String: String]) {
    self.key = key
    self.passwords = passwords
  }

  var fault: HookFault? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  func answer(_ request: ServerRequest) -> ServerResponse {
    guard let call = try? HookContract.opened(request.body, key: key) else {
      return ServerResponse(status: 400, body: [])
    }
    let isRight = passwords[call.username] == call.password.reveal()
    let right = HookContract.response(isRight ? "MigratePassword" : "Retry", nonce: call.nonce)
    return fault.map { broken($0, right, call.nonce) } ?? Self.json(right)
  }

  private static func json(_ json: JSON) -> ServerResponse { text(json.encoded()) }

  private static func text(_ text: String) -> ServerResponse {
    ServerResponse(status: 200, text: text, type: "application/json")
  }

  private func broken(_ fault: HookFault, _ right: JSON, _ nonce: String) -> ServerResponse {
    var response = Self.json(right)
    switch fault {
    case .unreachable: break
    case .slow: response.delay = 3 * LegacyHook.patience
    case .dropped: response.drop = .beforeResponse
    case .failure: response.status = 500
    case .unauthorized: response.status = 401
    case .missing: response.status = 404
    case .redirect:
      response.status = 302
      response.headers.append(("Location", "/elsewhere"))
    case .empty: response.body = []
    case .page: response = ServerResponse(status: 200, text: "<!DOCTYPE html><p>Sign in", type: "text/html")
    case .truncated: response.body.removeLast(8)
    case .noData: response = Self.json(["actions": []])
    case .noAction: response = Self.json(["data": ["actions": [], "nonce": .string(nonce)]])
    case .unknownAction: response = Self.json(HookContract.response("Allow", nonce: nonce))
    case .twoActions:
      let action: JSON = ["@odata.type": "microsoft.graph.passwordSubmit.MigratePassword"]
      response = Self.json(["data": ["actions": [action, action], "nonce": .string(nonce)]])
    case .noNonce: response = Self.json(HookContract.response("MigratePassword", nonce: nil))
    case .otherNonce: response = Self.json(HookContract.response("MigratePassword", nonce: SecureRandom.token(16)))
    }
    return response
  }
}
