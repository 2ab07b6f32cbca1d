import Core
import HTTPClient
import HostLoop
package import JOSE
import JSON

extension OAuthClient {
  /// The key of a sign-in with proofs: the given one, or a new one for an algorithm that the provider takes.
  /// - Throws: `invalid_key` for a key that the provider does not take.
  package func proofKey(_ given: PrivateKey?, policy: String? = nil) async throws(OAuthError) -> ProofKey {
    let algorithms = algorithms(among: try? await metadata(policy: policy).proofAlgorithms)
    do throws(JOSEError) {
      return if let given { try ProofKey(given, algorithms: algorithms) } else { try .generate(algorithms: algorithms) }
    } catch { throw OAuthError(error, .token) }
  }

  /// Sends a form with a proof (RFC 9449, 5), and once more where the token endpoint asks for its nonce (8). The form is
  /// made anew each time: a provider takes a client assertion once.
  func send(_ request: EndpointRequest, provenBy key: ProofKey) async throws(OAuthError) -> HTTPResponse {
    try await nonces.exchange(
      "POST", request.url, isRefusal: \.asksForNonce,
      failure: { OAuthError($0.code, request.stage, $0.message, hint: $0.hint, status: $0.status) },
      send: { nonce throws(OAuthError) in
        var message = try await self.message(request)
        do throws(JOSEError) {
          message.headers["DPoP"] = try key.proof(
            ProofContent(method: message.method, url: message.url, tokenHash: nil, nonce: nonce), now: self.now())
        } catch { throw OAuthError(error, request.stage) }
        return try await self.send(message, request)
      })
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
