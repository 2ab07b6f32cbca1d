import Crypto
import JOSE
import JSON

/// A wrong signed answer of the authorization endpoint, for `tenant.fault { jarm = … }`.
package enum SignedAnswerFault: String, Sendable, CaseIterable {
  case algNone = "alg_none"
  /// Signed by HMAC with a key that everybody knows, the ID of the client.
  case hmac
  case wrongAudience = "wrong_aud"
  case wrongIssuer = "wrong_iss"
  case expired
  case noExpiry = "no_exp"
  case foreignKey = "foreign_key"
  /// The fields as they are, without a JWT.
  case unsigned
}

/// A wrong `iss` in an answer of the authorization endpoint, for `tenant.fault { iss = … }`.
package enum IssuerFault: String, Sendable, CaseIterable {
  case missing
  /// The issuer of another provider.
  case other

  static let otherIssuer = "https://other.example/"
}

/// Puts the fields of an answer into a signed JWT (JARM §2).
struct SignedAnswer {
  private static let lifetime = 600

  let issuer: TokenIssuer
  let fault: SignedAnswerFault?

  func fields(
    _ fields: [(String, String)], for request: AuthorizationRequest
  ) throws -> [(String, String)] {
    if fault == .unsigned { return fields }
    let lifetime = fault == .expired ? -Self.lifetime : Self.lifetime
    var claims = Dictionary(fields.map { ($0.0, JSON.string($0.1)) }) { first, _ in first }
    claims["aud"] = .string(fault == .wrongAudience ? Contoso.tasksAPI : request.client.id)
    claims["exp"] = fault == .noExpiry ? nil : .integer(Int64(issuer.clock.now + lifetime))
    if fault == .wrongIssuer { claims["iss"] = .string(IssuerFault.otherIssuer) }
    return [("response", try sign(claims, request.client))]
  }

  private func sign(_ claims: [String: JSON], _ client: Application) throws -> String {
    let payload = Array(JSON.object(claims).encoded().utf8)
    let key = try issuer.keys.current()
    switch fault {
    case .algNone: return "\(Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))).\(Base64URL.encode(payload))."
    case .hmac:
      return try JWS.sign(payload, header: ["alg": "HS256"], key: .symmetric(Array(client.id.utf8)))
    case .foreignKey:
      let header: JSON = ["alg": .string(key.signingAlgorithm.rawValue), "kid": .string(key.keyID ?? "")]
      return try JWS.sign(payload, header: header, key: key.signingAlgorithm.makeKey())
    default: return try issuer.sign(claims)
    }
  }
}
