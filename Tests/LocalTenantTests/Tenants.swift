import JOSE
import LocalTenant

extension LocalTenant {
  /// What takes longest at the start of a tenant, made once for all tests.
  private static let key = Result { try JWK.generateRSA(bits: 2048) }

  /// One of a test's own.
  convenience init() throws {
    try self.init(TenantConfiguration(signingKey: Self.key.get()))
  }

  /// A tenant whose time goes on by `advance` alone, however long a test takes.
  static func atRest() throws -> LocalTenant {
    try LocalTenant(TenantConfiguration(time: { 1_790_000_010 }, signingKey: key.get()))
  }
}
