import Crypto
import Databases
package import JSON

/// The applications of the directory: those of Contoso, and those that were registered.
final class ClientRegistry {
  private let database: SQLiteConnection
  private var found: [String: Application] = [:]
  /// Client assertions by client and `jti`, which are accepted once.
  let assertions: ExpiringStore<UsedAssertion>
  let clock: TenantClock

  init(_ database: SQLiteConnection, _ clock: TenantClock) throws {
    self.database = database
    self.clock = clock
    assertions = ExpiringStore(clock)
    for row in try database.query("SELECT metadata FROM applications") {
      let application = Application(try JSON(parsing: Array((row["metadata"].text ?? "").utf8)))
      found[application.id] = application
    }
  }

  func application(_ id: String) -> Application? { Contoso.application(id) ?? found[id] ?? found[id.lowercased()] }

  /// Registers an application.
  /// - Parameters:
  ///   - metadata: the members of RFC 7591 §2 that the tenant knows: `client_name`, `redirect_uris`,
  ///     `token_endpoint_auth_method` and `jwks`.
  ///   - isOfScript: true if a script of this machine makes the application, which may then have no redirect URIs.
  /// - Throws: `invalid_client_metadata`, `invalid_redirect_uri`.
  func add(_ metadata: JSON, isOfScript: Bool = false, id: String? = nil) throws -> Application {
    let members = try ClientMetadataCheck(metadata, isOfScript: isOfScript).members.merging([
      "client_id": .string(id ?? GUID.random()), "registration_access_token": .string(SecureRandom.token()),
      "client_id_issued_at": .integer(Int64(clock.now)),
    ]) { $1 }
    return try store(members, secret: SecureRandom.token())
  }

  /// Replaces the metadata of a registered application; its ID, token and secret stay (RFC 7592 §2.2).
  func replace(_ application: Application, with metadata: JSON) throws -> Application {
    let old = application.metadata
    var members = try ClientMetadataCheck(metadata).members
    for name in ["client_id", "registration_access_token", "client_id_issued_at"] { members[name] = old[name] }
    return try store(members, secret: application.secret ?? SecureRandom.token())
  }

  func remove(_ application: Application) throws {
    try database.execute("DELETE FROM applications WHERE id = ?", .text(application.id))
    found[application.id] = nil
  }

  private func store(_ metadata: [String: JSON], secret: String) throws -> Application {
    var members = metadata
    let method = members["token_endpoint_auth_method"]?.string.flatMap(ClientMethod.init)
    if method?.needsSecret == true {
      members["client_secret"] = .string(secret)
      members["client_secret_expires_at"] = 0
    }
    let json = JSON.object(members)
    let application = Application(json)
    try database.execute(
      "INSERT OR REPLACE INTO applications (id, metadata) VALUES (?, ?)", .text(application.id), .text(json.encoded()))
    found[application.id] = application
    return application
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
      redirectURIs: metadata["redirect_uris"]?.array?.compactMap(\.string) ?? [], metadata: metadata)
  }
}

extension LocalTenant {
  /// Registers an application with the metadata of RFC 7591 §2, and with this ID, or else a new one.
  /// - Throws: `invalid_client_metadata`.
  package func addApplication(_ metadata: JSON, id: String? = nil) throws(TenantError) -> Application {
    try withEngine { try $0.clients.add(metadata, isOfScript: true, id: id) }
  }

  /// Selects the audience that client assertions must have: nil for the issuer or the endpoint's address.
  package func setAssertionAudience(_ audience: AssertionAudience) throws(TenantError) {
    try withEngine { $0.behavior.assertionAudience = audience }
  }
}

/// The values of `aud` that the tenant accepts in client assertions.
package enum AssertionAudience: String, Sendable, CaseIterable { case any, issuer, endpoint }
