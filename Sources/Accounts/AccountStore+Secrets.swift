package import Core
import Databases
import HostLoop
import JOSE
import JSON

/// The secrets that a person keeps for scripts, each sealed with the group's key together with its name.
extension AccountStore {
  /// Keeps a secret in place of the one of that name.
  package func save(_ secret: Secret, name: String) async throws(AccountError) {
    let groupKey = try await self.key()
    let contents: JSON = ["secret_name": .string(name), "value": .string(secret.reveal())]
    try await change {
      try await $0.execute(
        """
        INSERT INTO secret (vault_group, name, sealed, saved_at) VALUES (?, ?, ?, ?)
        ON CONFLICT (vault_group, name) DO UPDATE SET sealed = excluded.sealed, saved_at = excluded.saved_at
        """, .text(group), .text(name), .text(try JWE.seal(contents.bytes() ?? [], key: groupKey)), .integer(now()))
    }
  }

  /// The secret of that name; nil if there is none.
  /// - Throws: `tokens_unreadable` for a secret that was sealed with another key of the group.
  package func secret(_ name: String) async throws(AccountError) -> Secret? {
    let row = try await use {
      try await $0.first("SELECT sealed FROM secret WHERE vault_group = ? AND name = ?", .text(group), .text(name))
    }
    guard let sealed = row?["sealed"].text else { return nil }
    let groupKey = try await self.key()
    guard let bytes = try? JWE.open(sealed, key: groupKey), let json = try? JSON(parsing: bytes),
      json["secret_name"]?.string == name, let value = json["value"]?.string
    else {
      throw AccountError(
        .tokensUnreadable,
        "the secret '\(name)' in \(path) does not open with \(try await vaultPlace): it was sealed with another key",
        hint: "put the key of the store back, or set the secret again")
    }
    return Secret(value)
  }

  /// The names of the secrets in their order, and when each was set, in Unix seconds.
  package func secrets() async throws(AccountError) -> [(name: String, savedAt: Int64)] {
    let path = path
    return try await use {
      try await $0.query("SELECT name, saved_at FROM secret WHERE vault_group = ? ORDER BY name", .text(group)).map {
        let read = $0.reader(of: "secret", in: path)
        return (try read.text("name"), try read.time("saved_at"))
      }
    }
  }

  /// Removes the secret of that name.
  /// - Returns: false if there was none.
  package func removeSecret(_ name: String) async throws(AccountError) -> Bool {
    try await change {
      try await $0.execute("DELETE FROM secret WHERE vault_group = ? AND name = ?", .text(group), .text(name)) > 0
    }
  }
}
