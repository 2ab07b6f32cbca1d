import JOSE
import LocalTenant

extension LocalTenant {
  /// The signing key, which takes the longest time of a start, is made once for all tests.
  private static let key = Result { try JWK.generateRSA(bits: 2048) }

  /// A new tenant for a single test.
  convenience init() throws {
    try self.init(TenantConfiguration(signingKey: Self.key.get()))
  }

  /// A tenant whose time passes only by `advance`, so that the duration of a test does not matter.
  static func atRest() throws -> LocalTenant {
    try LocalTenant(TenantConfiguration(time: { 1_790_000_010 }, signingKey: key.get()))
  }
}
