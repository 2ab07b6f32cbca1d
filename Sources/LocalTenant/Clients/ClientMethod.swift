/// The methods of client authentication that an application can be registered with (RFC 7591 §2).
package enum ClientMethod: String, Sendable, CaseIterable {
  case none
  case basic = "client_secret_basic"
  case post = "client_secret_post"
  case secretJWT = "client_secret_jwt"
  case keyJWT = "private_key_jwt"
  case certificate = "tls_client_auth"
  case selfSignedCertificate = "self_signed_tls_client_auth"

  var isAssertion: Bool { self == .keyJWT || self == .secretJWT }
  var isCertificate: Bool { self == .certificate || self == .selfSignedCertificate }
  var needsSecret: Bool { self == .basic || self == .post || self == .secretJWT }
}
