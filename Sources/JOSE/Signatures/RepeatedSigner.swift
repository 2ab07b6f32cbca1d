import CJoseShims
import Core
import Crypto
package import JSON

/// Signs many texts with one header and one key.
package final class RepeatedSigner: @unchecked Sendable {
  // Unchecked: libcrypto lets threads share a signer that does not change.
  private let signer: OpaquePointer
  private let key: CryptoKey
  private let algorithm: SignatureAlgorithm
  private let encodedHeader: String

  /// - Throws: `failed` if libcrypto refuses.
  package init(_ key: PrivateKey, _ algorithm: SignatureAlgorithm, header: JSON) throws(JOSEError) {
    guard let signer = key.key.signer(algorithm) else {
      throw JOSEError(.failed, "nothing could be signed by \(algorithm.rawValue) with this key")
    }
    self.signer = signer
    self.key = key.key
    self.algorithm = algorithm
    encodedHeader = Base64URL.encode(header.bytes() ?? [])
  }

  deinit { cjose_signer_free(signer) }

  package func sign(_ payload: [UInt8]) throws(JOSEError) -> String {
    try JWS.compact(encodedHeader, payload, algorithm) { key.sign($0, signer: signer) }
  }
}
