import HostLoop
import JOSE
import SQLite

extension AccountStore {
  /// The vault the group's key is in, or will be.
  package var vaultKind: VaultKind {
    get async throws(AccountError) { try await vault().kind }
  }

  /// The place of the group's key, for people: "the key file …".
  package var vaultPlace: String {
    get async throws(AccountError) { try await vault().place(of: group) }
  }

  /// What is wrong with the vault; nil when the group's key is at hand, or can be made when it is needed.
  package func checkVault() async -> AccountError? {
    do throws(AccountError) {
      _ = try await vault().storedKey(for: group)
      return nil
    } catch { return error }
  }

  /// Moves the group's key to another vault. The accounts stay as they are, for other processes too.
  ///
  /// The key is removed from the old vault last, so that a crash in between loses nothing: then call this again.
  package func moveKeys(to kind: VaultKind) async throws(AccountError) {
    let target = try vaults.vault(kind)
    let key = try await key()
    try await target.keep(key, for: group)
    guard try await target.storedKey(for: group)?.json == key.json else {
      throw AccountError(.keyUnusable, "\(target.place(of: group)) does not give back the key that was put there")
    }
    try record(kind)
    for vault in vaults.known where vault.kind != kind { try await vault.removeKey(for: group) }
  }

  /// The key that seals the group's tokens, made when there is none.
  func key() async throws(AccountError) -> JWK {
    if let groupKey { return groupKey }
    let vault = try await vault()
    let key = try await vault.key(for: group)
    if try recordedKind() == nil { try record(vault.kind) }
    groupKey = key
    return key
  }

  /// The vault that the store says the key is in; else the one where a key is found, else the one to use for a new key.
  private func vault() async throws(AccountError) -> any Vault {
    if let kind = try recordedKind() { return try vaults.vault(kind) }
    for vault in vaults.known where try await vault.storedKey(for: group) != nil { return vault }
    return vaults.known[0]
  }

  private func recordedKind() throws(AccountError) -> VaultKind? {
    let row = try use { try $0.first("SELECT kind FROM vault WHERE vault_group = ?", .text(group)) }
    return row?["kind"].text.flatMap(VaultKind.init)
  }

  private func record(_ kind: VaultKind) throws(AccountError) {
    try use {
      try $0.execute(
        "INSERT OR REPLACE INTO vault (vault_group, kind) VALUES (?, ?)", .text(group), .text(kind.rawValue))
    }
  }
}
