package import Core
package import HTTPClient
package import HostLoop
import JOSE
import JSON

/// Makes the proofs of requests with one key, and keeps the nonces that servers give (RFC 9449, 8 and 9).
@HostActor
package final class Prover {
  package let key: ProofKey
  private let nonces: ProofNonces
  /// The hash of the token that was sent last: an import sends thousands of requests with one token.
  private var hashed: (token: Secret, hash: String)?
  private let supply: ProofSupply

  package init(_ key: ProofKey, _ nonces: ProofNonces) {
    self.key = key
    self.nonces = nonces
    supply = ProofSupply(key)
  }

  /// The header field of a request.
  package func field(_ method: String, _ url: String, token: Secret?) throws -> HTTPHeaders.Field {
    if let token, hashed?.token != token { hashed = (token, ProofKey.hash(token)) }
    let content = ProofContent(
      method: method, url: url, tokenHash: token == nil ? nil : hashed?.hash, nonce: nonces[url])
    return HTTPHeaders.Field(name: "DPoP", value: try supply.take(content, now: currentTime()))
  }

  /// Sends a request with a proof, and once more where the server asks for its nonce.
  package func send(
    _ method: String, _ url: String, token: Secret?,
    _ send: @HostActor (HTTPHeaders.Field) async throws -> HTTPResponse
  ) async throws -> HTTPResponse {
    let first = try await send(try field(method, url, token: token))
    guard try mustRepeat(method, url, first, isRepeated: false) else { return first }
    let second = try await send(try field(method, url, token: token))
    _ = try mustRepeat(method, url, second, isRepeated: true)
    return second
  }

  /// Keeps the nonce of an answer. True if the request must be sent again with it.
  /// - Parameter isRepeated: true for the answer to the second request.
  /// - Throws: `use_dpop_nonce` where the server asks again, or asks and gives no nonce.
  package func mustRepeat(
    _ method: String, _ url: String, _ answer: HTTPResponse, isRepeated: Bool
  ) throws -> Bool {
    let isRefusal = answer.status == 401 && answer.challenges("use_dpop_nonce")
    return try nonces.mustRepeat(method, url, answer, isRefusal: isRefusal, isRepeated: isRepeated)
  }
}

/// The last nonce of each server.
@HostActor
package final class ProofNonces: Sendable {
  private var values: [Origin: String] = [:]

  package nonisolated init() {}

  /// The address that was asked for last. An import asks for one address thousands of times.
  private var last: (url: String, origin: Origin?)?

  subscript(_ url: String) -> String? { origin(of: url).flatMap { values[$0] } }

  private func origin(of url: String) -> Origin? {
    if let last, last.url == url { return last.origin }
    let origin = Origin(url)
    last = (url, origin)
    return origin
  }

  /// Keeps the nonce of an answer. True if the request must be sent again with it.
  /// - Throws: for a server that asks again, or asks and gives no nonce.
  func mustRepeat(
    _ method: String, _ url: String, _ answer: HTTPResponse, isRefusal: Bool, isRepeated: Bool
  ) throws(NonceError) -> Bool {
    note(answer, url)
    guard isRefusal else { return false }
    let isMissing = answer.headers["DPoP-Nonce"] == nil
    guard !isRepeated, !isMissing else { throw NonceError(method, url, isMissing: !isRepeated && isMissing) }
    return true
  }

  /// Keeps the nonce of an answer of any status.
  func note(_ response: HTTPResponse, _ url: String) {
    guard let nonce = response.headers["DPoP-Nonce"], !nonce.isEmpty, let origin = origin(of: url) else { return }
    values[origin] = nonce
  }
}

/// The error about a server that is never content with its own nonce.
package struct NonceError: Failure {
  package let code = "use_dpop_nonce"
  package let message: String
  package let hint: String? = "the server's DPoP nonces do not work; tell its operator"
  package let status: Int? = 401

  init(_ method: String, _ url: String, isMissing: Bool) {
    let reason =
      isMissing
      ? "asks for a DPoP nonce (use_dpop_nonce) and gives none (DPoP-Nonce)"
      : "refused the DPoP nonce that it had just given (use_dpop_nonce)"
    message =
      "\(method) \(ProofContent.target(url)): the server \(reason); the request was sent \(isMissing ? "once" : "twice")"
  }
}
