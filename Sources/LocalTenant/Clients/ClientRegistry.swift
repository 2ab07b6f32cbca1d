import JOSE
package import JSON
import SQLite

/// The applications of the directory: those of Contoso, and those that were registered.
final class ClientRegistry {
  private let database: Connection
  private var registered: [String: Application] = [:]
  /// Client assertions by client and `jti`, which are accepted once.
  let assertions: ExpiringStore<UsedAssertion>
  let clock: TenantClock

  init(_ database: Connection, _ clock: TenantClock) throws {
    self.database = database
    self.clock = clock
    assertions = ExpiringStore(clock)
    for row in try database.query("SELECT metadata FROM applications") {
      let application = Application(try JSON(parsing: Array((row["metadata"].text ?? "").utf8)))
      registered[application.id] = application
    }
  }

  func application(_ id: String) -> Application? { Contoso.application(id) ?? registered[id.lowercased()] }

  /// Registers an application.
  /// - Parameter metadata: the members of RFC 7591 §2 that the tenant knows: `client_name`, `redirect_uris`,
  ///   `token_endpoint_auth_method` and `jwks`.
  /// - Throws: `invalid_client_metadata`.
  func add(_ metadata: JSON) throws -> Application {
    var members = metadata.object ?? [:]
    let name = members["token_endpoint_auth_method"]?.string ?? ClientMethod.basic.rawValue
    guard let method = ClientMethod(rawValue: name) else {
      throw TenantError.invalid("client_metadata", "the tenant knows no token_endpoint_auth_method \"\(name)\"")
    }
    try Self.checkKeys(members["jwks"], method)
    members["client_id"] = .string(GUID.random())
    members["token_endpoint_auth_method"] = .string(name)
    members["client_secret"] = method.needsSecret ? .string(SecureRandom.token()) : nil
    let json = JSON.object(members)
    let application = Application(json)
    try database.execute(
      "INSERT INTO applications (id, metadata) VALUES (?, ?)", .text(application.id), .text(json.encoded()))
    registered[application.id] = application
    return application
  }

  private static func checkKeys(_ keys: JSON?, _ method: ClientMethod) throws {
    guard let keys else {
      guard method != .keyJWT else {
        throw TenantError.invalid(
          "client_metadata", "an application with private_key_jwt needs the public key of its assertions, in jwks")
      }
      return
    }
    for key in keys["keys"]?.array ?? [.null] {
      guard key["d"] == nil, key["kty"]?.string != "oct" else {
        throw TenantError.invalid("client_metadata", "jwks has a private key; only public keys belong there")
      }
      do throws(JOSEError) { _ = try JWK(key) } catch {
        throw TenantError.invalid("client_metadata", "a key in jwks cannot be used: \(error.message)")
      }
    }
  }
}

struct UsedAssertion: Expiring { let expires: Int }

extension Application {
  /// The application that its metadata describe (RFC 7591 §2).
  init(_ metadata: JSON) {
    let id = metadata["client_id"]?.string ?? ""
    self.init(
      id: id, name: metadata["client_name"]?.string ?? id, secret: metadata["client_secret"]?.string,
      method: metadata["token_endpoint_auth_method"]?.string.flatMap(ClientMethod.init),
      keys: metadata["jwks"]?["keys"]?.array ?? [],
      redirectURIs: metadata["redirect_uris"]?.array?.compactMap(\.string) ?? [])
  }
}

extension LocalTenant {
  /// Registers an application with the metadata of RFC 7591 §2.
  /// - Throws: `invalid_client_metadata`.
  package func addApplication(_ metadata: JSON) throws(TenantError) -> Application {
    try withEngine { try $0.clients.add(metadata) }
  }

  /// Selects the audience that client assertions must have: nil for the issuer or the endpoint's address.
  package func setAssertionAudience(_ audience: AssertionAudience) throws(TenantError) {
    try withEngine { $0.behavior.assertionAudience = audience }
  }
}

/// The values of `aud` that the tenant accepts in client assertions.
package enum AssertionAudience: String, Sendable, CaseIterable { case any, issuer, endpoint }
