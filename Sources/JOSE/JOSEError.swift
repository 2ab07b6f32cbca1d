package import Core

/// A key, signature or encrypted text that cannot be used.
package typealias JOSEError = DomainError<JOSEProblem>

/// The kinds of `JOSEError`.
package enum JOSEProblem: String, FailureKind {
  /// The text is not a compact JWS or JWE, or its header or claims are not a JSON object.
  case malformed = "malformed_token"
  /// The key is incomplete, of an unknown type or of the wrong one for the algorithm.
  case invalidKey = "invalid_key"
  case algorithmNotAllowed = "algorithm_not_allowed"
  /// The signature was made over other bytes or with another key.
  case signatureMismatch = "signature_mismatch"
  /// The encrypted text was changed, or was sealed with another key.
  case notDecrypted = "not_decrypted"
  /// The certificate is not valid any more, or not yet.
  case certificateExpired = "certificate_expired"
  /// No key fits the token.
  case keyNotFound = "key_not_found"
  case missingClaim = "missing_claim"
  case issuerMismatch = "issuer_mismatch"
  case subjectMismatch = "subject_mismatch"
  case audienceMismatch = "audience_mismatch"
  case nonceMismatch = "nonce_mismatch"
  case typeMismatch = "type_mismatch"
  case expired = "token_expired"
  case notYetValid = "token_not_yet_valid"
  /// libjose or libcrypto failed with valid input.
  case failed = "crypto_failed"
}

extension JOSEError {
  /// The same error with the place of the key in front.
  func about(_ place: String) -> JOSEError { JOSEError(kind, "\(place): \(message)", hint: hint) }
}
