import Databases
import HostLoop
package import JOSE
package import JSON

/// The private keys of scripts, each sealed with the group's key together with its name and its provider.
extension AccountStore {
  /// Stores a key in place of the one of that name.
  /// - Parameter provider: as in `Settings.provider`, for scripts with the settings of this provider.
  package func save(_ key: PrivateKey, name: String, provider: JSON) async throws(AccountError) {
    let groupKey = try await self.key()
    let contents: JSON = ["key_name": .string(name), "provider": provider, "jwk": key.reveal()]
    try await change {
      try await $0.execute(
        """
        INSERT INTO saved_key (vault_group, name, sealed) VALUES (?, ?, ?)
        ON CONFLICT (vault_group, name) DO UPDATE SET sealed = excluded.sealed
        """, .text(group), .text(name), .text(try JWE.seal(contents.bytes() ?? [], key: groupKey)))
    }
  }

  /// The key of that name and its provider; nil if there is none.
  /// - Throws: `tokens_unreadable` for a key that was sealed with another key of the group.
  package func savedKey(_ name: String) async throws(AccountError) -> (key: PrivateKey, provider: JSON)? {
    let row = try await use {
      try await $0.first("SELECT sealed FROM saved_key WHERE vault_group = ? AND name = ?", .text(group), .text(name))
    }
    guard let sealed = row?["sealed"].text else { return nil }
    let groupKey = try await self.key()
    guard let bytes = try? JWE.open(sealed, key: groupKey), let json = try? JSON(parsing: bytes),
      json["key_name"]?.string == name, let jwk = json["jwk"],
      let key = try? PrivateKey(jwk: jwk, at: "the saved key '\(name)'")
    else {
      throw AccountError(
        .tokensUnreadable,
        "the key '\(name)' in \(path) does not open with \(try await vaultPlace): it was sealed with another key",
        hint: "put the key of the store back, or save the key again")
    }
    return (key, json["provider"] ?? [:])
  }

  /// The names of the saved keys, in their order.
  package func savedKeyNames() async throws(AccountError) -> [String] {
    try await use {
      try await $0.query("SELECT name FROM saved_key WHERE vault_group = ? ORDER BY name", .text(group))
    }.compactMap { $0["name"].text }
  }

  /// Removes the key of that name.
  /// - Returns: false if there was none.
  package func removeKey(_ name: String) async throws(AccountError) -> Bool {
    try await change {
      try await $0.execute("DELETE FROM saved_key WHERE vault_group = ? AND name = ?", .text(group), .text(name)) > 0
    }
  }
}
