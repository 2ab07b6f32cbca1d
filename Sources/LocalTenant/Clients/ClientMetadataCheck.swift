import Core
import JOSE
import JSON

/// The check of the metadata of an application (RFC 7591 §2; OpenID Connect Dynamic Client Registration §2).
struct ClientMetadataCheck {
  /// The members that the tenant sets itself.
  private static let own: Set = [
    "client_id", "client_secret", "registration_access_token", "registration_client_uri", "client_id_issued_at",
    "client_secret_expires_at",
  ]
  private static let lists = [
    "redirect_uris", "grant_types", "response_types", "contacts", "post_logout_redirect_uris", "request_uris",
  ]
  private static let pages = [
    "client_uri", "logo_uri", "tos_uri", "policy_uri", "jwks_uri", "initiate_login_uri", "sector_identifier_uri",
    "frontchannel_logout_uri", "backchannel_logout_uri",
  ]

  /// The metadata with the method of client authentication, and without the members that the tenant sets.
  private(set) var members: [String: JSON]
  private let method: ClientMethod

  /// - Parameter isOfScript: true for an application that a script of this machine makes: the redirect URIs of the machine
  ///   are enough for it.
  /// - Throws: `invalid_client_metadata`, `invalid_redirect_uri`.
  init(_ metadata: JSON, isOfScript: Bool = false) throws {
    members = (metadata.object ?? [:]).filter { !Self.own.contains($0.key) && $0.value != .null }
    let name = members["token_endpoint_auth_method"]?.string ?? ClientMethod.basic.rawValue
    guard let method = ClientMethod(rawValue: name) else {
      throw Self.refusal("the tenant knows no token_endpoint_auth_method \"\(name)\"")
    }
    self.method = method
    members["token_endpoint_auth_method"] = .string(name)
    try checkTypes()
    try checkGrants()
    try checkAddresses()
    try checkKeys()
    if method == .certificate, members["tls_client_auth_subject_dn"]?.string?.isEmpty != false {
      throw Self.refusal(
        "an application with tls_client_auth needs the subject of its certificate, in "
          + "tls_client_auth_subject_dn: \"CN=tasks,O=Contoso\"")
    }
    try checkRedirects(isOfScript)
  }

  private static func refusal(_ text: String, hint: String? = nil) -> TenantError {
    .invalid("client_metadata", text, hint: hint)
  }

  private func list(_ name: String) -> [String]? { members[name]?.array?.compactMap(\.string) }

  private func checkTypes() throws {
    for name in Self.lists {
      guard let value = members[name] else { continue }
      guard let list = list(name), list.count == value.array?.count else {
        throw Self.refusal("\(name) must be a list of strings, not \(value.encoded())")
      }
    }
    for name in Self.pages + ["client_name", "scope", "subject_type", "application_type"] {
      guard let value = members[name], value.string == nil else { continue }
      throw Self.refusal("\(name) must be a string, not \(value.encoded())")
    }
    if let type = members["subject_type"]?.string, type != "public" {
      throw Self.refusal("the tenant knows no subject_type \"\(type)\", only public")
    }
  }

  /// The grant types and the response types must fit each other (RFC 7591 §2.1).
  private var grants: [String] { list("grant_types") ?? [GrantType.authorizationCode.rawValue] }
  private var redirecting: [String] { grants.filter { ["authorization_code", "implicit"].contains($0) } }

  private func checkGrants() throws {
    let known = GrantType.allCases.map(\.rawValue) + ["implicit"]
    if let unknown = grants.first(where: { !known.contains($0) }) {
      throw Self.refusal("the tenant knows no grant type \"\(unknown)\"")
    }
    if grants.allSatisfy({ $0 == GrantType.refreshToken.rawValue }) {
      throw Self.refusal("grant_types has no grant type that gives a first token")
    }
    let types = list("response_types") ?? (redirecting.isEmpty ? [] : ["code"])
    for type in types {
      let list = type.split(separator: " ").map(String.init)
      let words = Set(list)
      guard !words.isEmpty, words.count == list.count, words.isSubset(of: ["code", "token", "id_token"]) else {
        throw Self.refusal("the tenant knows no response type \"\(type)\"")
      }
      let needed = (words.contains("code") ? ["authorization_code"] : []) + (words == ["code"] ? [] : ["implicit"])
      if let missing = needed.first(where: { !grants.contains($0) }) {
        throw Self.refusal("the response type \"\(type)\" needs the grant type \"\(missing)\" in grant_types")
      }
    }
    for grant in redirecting {
      guard types.contains(where: { grant == "implicit" ? $0 != "code" : $0.split(separator: " ").contains("code") })
      else {
        throw Self.refusal("the grant type \"\(grant)\" needs a response type in response_types")
      }
    }
    let confidential = [GrantType.clientCredentials, .backchannel].map(\.rawValue)
    if method == .none, let grant = grants.first(where: confidential.contains) {
      throw Self.refusal("an application without client authentication cannot have the grant type \"\(grant)\"")
    }
  }

  /// RFC 7591 §2: a client of a grant that redirects must register its redirect URIs.
  private func checkRedirects(_ isOfScript: Bool) throws {
    let uris = list("redirect_uris")
    guard let grant = redirecting.first, uris == [] || uris == nil && !isOfScript else { return }
    throw TenantError.invalid(
      "redirect_uri", "redirect_uris is \(uris == nil ? "missing" : "empty"), and the grant type \(grant) needs one")
  }

  private func checkAddresses() throws {
    for uri in list("redirect_uris") ?? [] {
      guard let problem = RegisteredURI.problem(ofRedirect: uri) else { continue }
      throw TenantError.invalid("redirect_uri", "\(JSON.string(uri).encoded()) \(problem)")
    }
    for uri in list("post_logout_redirect_uris") ?? [] {
      guard let problem = RegisteredURI.problem(ofRedirect: uri) else { continue }
      throw Self.refusal("post_logout_redirect_uris: \(JSON.string(uri).encoded()) \(problem)")
    }
    for name in Self.pages {
      guard let uri = members[name]?.string, let problem = RegisteredURI.problem(ofPage: uri) else { continue }
      throw Self.refusal("\(name): \(JSON.string(uri).encoded()) \(problem)")
    }
  }

  private func checkKeys() throws {
    let set = members["jwks"]
    guard set == nil || members["jwks_uri"] == nil else {
      throw Self.refusal("the metadata have both jwks and jwks_uri", hint: "leave one of them out")
    }
    guard let set else {
      if method == .keyJWT {
        throw Self.refusal("an application with private_key_jwt needs the public key of its assertions, in jwks")
      }
      guard method != .selfSignedCertificate else { throw Self.noCertificate }
      return
    }
    guard let keys = set["keys"]?.array, !keys.isEmpty else { throw Self.refusal("jwks has no keys") }
    for key in keys {
      guard key["d"] == nil, key["kty"]?.string != "oct" else {
        throw Self.refusal("jwks has a private key; only public keys belong there")
      }
      do throws(JOSEError) {
        let key = try JWK(key)
        if let certificate = try key.json.certificate {
          guard certificate.publicKey.thumbprint == key.thumbprint else {
            throw JOSEError(.invalidKey, "its certificate (x5c) is of another key")
          }
          guard [nil, certificate.thumbprint].contains(key.json["x5t#S256"]?.string) else {
            throw JOSEError(.invalidKey, "x5t#S256 is not the hash of its certificate (x5c)")
          }
        }
      } catch { throw Self.refusal("a key in jwks cannot be used: \(error.message)") }
    }
    if method == .selfSignedCertificate, !keys.contains(where: { $0.certificateThumbprint != nil }) {
      throw Self.noCertificate
    }
  }

  private static let noCertificate = refusal(
    "an application with self_signed_tls_client_auth needs its certificate, in jwks: a key with x5c or x5t#S256",
    hint: "jose.key.public { file = FILE } makes one of a certificate in PEM")
}

extension JSON {
  /// The first certificate of a JSON Web Key (`x5c`; RFC 7517 §4.7); nil without one.
  fileprivate var certificate: Certificate? {
    get throws(JOSEError) {
      guard let x5c = self["x5c"] else { return nil }
      let text = x5c.array?.first?.string ?? ""
      let pem = "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
      return try Certificate(pem: Array(pem.utf8), at: "its certificate (x5c)")
    }
  }

  /// The SHA-256 hash of the certificate of a JSON Web Key, from `x5t#S256` or `x5c`; nil without one.
  var certificateThumbprint: String? {
    self["x5t#S256"]?.string ?? (try? certificate)?.thumbprint
  }
}
