import Glibc
package import HTTPServer
package import JOSE

/// The configuration of a local tenant.
package struct TenantConfiguration: Sendable {
  /// The form of `iss` in tokens and metadata.
  package enum IssuerForm: String, Sendable, CaseIterable {
    /// The base of the metadata document, as OpenID Connect Discovery §4.3 requires: `{url}/{tenant}/{policy}/v2.0`.
    case metadata
    /// B2C's default, which has no policy and does not match the metadata's address: `{url}/{tenant's GUID}/v2.0/`.
    /// External ID has no slash at the end.
    case guid
  }

  /// The port. 0 selects the last port of the data file, or any free port.
  package var port: UInt16
  /// The SQLite file for users, keys, refresh tokens and tasks; nil for a database in memory.
  package var dataFile: String?
  /// The certificate for https; nil for http.
  package var tls: TLSIdentity?
  /// PEM of the authorities of clients' certificates; nil to trust none. With `tls` the tenant asks for certificates.
  package var clientAuthorities: String?
  package var kind: TenantKind
  /// The profile that the tenant enforces; nil for none.
  package var profile: TenantProfile?
  package var issuerForm: IssuerForm
  /// The seconds by which the tenant's clock and its tokens are ahead of this machine's clock; negative if behind.
  package var clockOffset: Int
  /// This machine's clock, in seconds since 1970.
  package var time: @Sendable () -> Int
  /// The key that signs the tokens of a new directory until a rotation; nil to generate one.
  package var signingKey: JWK?
  /// Receives each message for a phone or a mailbox, on a thread of the tenant. It must not call the tenant.
  package var onMessage: (@Sendable (TenantMessage) -> Void)?
  package typealias Answer = @Sendable (ServerRequest) -> ServerResponse
  /// Stands between clients and tenant, with the tenant's answer to a request. It must not call the tenant in another way.
  package var between: (@Sendable (ServerRequest, @escaping Answer) -> ServerResponse)?

  package init(
    port: UInt16 = 0, dataFile: String? = nil, tls: TLSIdentity? = nil, kind: TenantKind = .b2c,
    issuerForm: IssuerForm = .metadata, clockOffset: Int = 0, time: @escaping @Sendable () -> Int = { Glibc.time(nil) },
    signingKey: JWK? = nil, onMessage: (@Sendable (TenantMessage) -> Void)? = nil
  ) {
    self.port = port
    self.dataFile = dataFile
    self.tls = tls
    self.kind = kind
    self.issuerForm = issuerForm
    self.clockOffset = clockOffset
    self.time = time
    self.signingKey = signingKey
    self.onMessage = onMessage
  }
}
