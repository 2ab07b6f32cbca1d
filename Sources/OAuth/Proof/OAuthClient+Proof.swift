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
    var isRepeated = false
    while true {
      var message = try await self.message(request)
      do throws(JOSEError) {
        message.headers["DPoP"] = try key.proof(
          ProofContent(method: message.method, url: message.url, tokenHash: nil, nonce: nonces[request.url]), now: now()
        )
      } catch { throw OAuthError(error, request.stage) }
      let answer = try await send(message, request)
      do throws(NonceError) {
        let mustRepeat = try nonces.mustRepeat(
          "POST", request.url, answer, isRefusal: answer.asksForNonce, isRepeated: isRepeated)
        guard mustRepeat else { return answer }
      } catch { throw OAuthError(error.code, request.stage, error.message, hint: error.hint, status: error.status) }
      isRepeated = true
    }
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
