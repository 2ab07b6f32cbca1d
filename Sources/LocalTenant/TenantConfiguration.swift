import Glibc
package import HTTPServer
package import JOSE

/// How a local tenant is set up.
package struct TenantConfiguration: Sendable {
  /// What `iss` says in tokens and metadata.
  package enum IssuerForm: String, Sendable, CaseIterable {
    /// The metadata document's own base, as OpenID Connect Discovery §4.3 asks: `{url}/{tenant}/{policy}/v2.0`.
    case metadata
    /// B2C's default, which names no policy and does not match the metadata's address: `{url}/{tenant's GUID}/v2.0/`.
    case guid
  }

  /// 0 for the one that the data file was served from last, or any free one.
  package var port: UInt16
  /// The SQLite file that keeps users, keys, refresh tokens and tasks; nil for memory.
  package var dataFile: String?
  /// For https; nil for http.
  package var tls: TLSIdentity?
  package var issuerForm: IssuerForm
  /// How many seconds the tenant's clock is ahead of this machine's (behind, when negative): it shows in its tokens.
  package var clockOffset: Int
  /// This machine's clock: seconds since 1970.
  package var time: @Sendable () -> Int
  /// Signs the tokens of a new directory until keys are rotated; nil to make one.
  package var signingKey: JWK?
  /// Gets each message that a real tenant would have sent to a phone or a mailbox, on a thread of the tenant's. It must not
  /// call the tenant.
  package var onMessage: (@Sendable (TenantMessage) -> Void)?

  package init(
    port: UInt16 = 0, dataFile: String? = nil, tls: TLSIdentity? = nil, issuerForm: IssuerForm = .metadata,
    clockOffset: Int = 0, time: @escaping @Sendable () -> Int = { Glibc.time(nil) },
    signingKey: JWK? = nil, onMessage: (@Sendable (TenantMessage) -> Void)? = nil
  ) {
    self.port = port
    self.dataFile = dataFile
    self.tls = tls
    self.issuerForm = issuerForm
    self.clockOffset = clockOffset
    self.time = time
    self.signingKey = signingKey
    self.onMessage = onMessage
  }
}
