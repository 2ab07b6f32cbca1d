import Core
import HTTPClient
import HostLoop
package import JOSE
import JSON

extension OAuthClient {
  /// The key of a sign-in with proofs: the given one, or a new one for an algorithm that the provider takes.
  /// - Throws: `invalid_key` for a key that the provider does not take.
  package func proofKey(_ given: PrivateKey?, policy: String? = nil) async throws(OAuthError) -> ProofKey {
    let algorithms = try? await metadata(policy: policy).proofAlgorithms
    do throws(JOSEError) {
      return if let given { try ProofKey(given, algorithms: algorithms) } else { try .generate(algorithms: algorithms) }
    } catch { throw OAuthError(error.code, .token, error.message, hint: error.hint) }
  }

  func addProof(_ key: ProofKey, to message: inout HTTPRequest, _ stage: OAuthError.Stage) throws(OAuthError) {
    let nonce = Origin(message.url).flatMap { nonces[$0] }
    do throws(JOSEError) {
      message.headers["DPoP"] = try key.proof(message.method, message.url, nonce: nonce, now: now())
    } catch { throw OAuthError(error.code, stage, error.message, hint: error.hint) }
  }

  /// True if the answer asks for the request again, with the nonce that it brought (RFC 9449, 8).
  func mustRepeat(_ request: EndpointRequest, _ response: HTTPResponse) throws(OAuthError) -> Bool {
    guard request.proofKey != nil, response.asksForNonce else { return false }
    guard response.headers["DPoP-Nonce"] != nil else {
      throw OAuthError(NonceError("POST", request.url, isMissing: true), request.stage)
    }
    return true
  }

  func checkNonce(of second: HTTPResponse, _ request: EndpointRequest) throws(OAuthError) {
    guard second.asksForNonce else { return }
    throw OAuthError(NonceError("POST", request.url, isMissing: false), request.stage)
  }
}

extension OAuthError {
  fileprivate init(_ error: NonceError, _ stage: Stage) {
    self.init(error.code, stage, error.message, hint: error.hint, status: error.status)
  }
}

extension HTTPResponse {
  /// True if the token endpoint refused a proof for its nonce.
  fileprivate var asksForNonce: Bool {
    (400..<500).contains(status)
      && (try? JSON(parsing: body, maximumDepth: 32))?["error"]?.string == "use_dpop_nonce"
  }

  /// True if `WWW-Authenticate` names the error (RFC 6750, 3).
  package func challenges(_ error: String) -> Bool {
    headers.all("WWW-Authenticate").contains { challenge in
      challenge.split { $0 == "," || $0 == " " }.contains { $0 == "error=\"\(error)\"" || $0 == "error=\(error)" }
    }
  }
}

extension ProviderMetadata {
  /// The signature algorithms of proofs; nil where the document says nothing.
  package var proofAlgorithms: [String]? { json["dpop_signing_alg_values_supported"]?.array?.compactMap(\.string) }
}
