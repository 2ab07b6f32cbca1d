package import HostLoop
package import JOSE

/// Where the keys live that seal tokens: one for each group, made when it is first asked for.
@HostActor
package protocol Vault: Sendable {
  /// The 256-bit key of the group; the same one for every process that asks.
  func key(for group: String) throws(AccountError) -> JWK
  /// Where the key is, for messages: "the key file …".
  func place(of group: String) -> String
}

/// Keys that live as long as the process, for stores that do.
@HostActor
package final class MemoryVault: Vault {
  private var keys: [String: JWK] = [:]

  package init() {}

  package func key(for group: String) throws(AccountError) -> JWK {
    if let key = keys[group] { return key }
    do throws(JOSEError) {
      let key = try JWK.generateSymmetric(bits: 256)
      keys[group] = key
      return key
    } catch { throw AccountError(.keyUnusable, "no key could be made to seal tokens with: \(error.message)") }
  }

  package func place(of group: String) -> String { "the key in memory" }
}
