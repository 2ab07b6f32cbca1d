import Databases
import HostLoop
import JOSE
import JSON

extension AccountStore {
  /// The vault the group's key is in, or will be, whether it can be used or not.
  package var vaultKind: VaultKind { get async throws(AccountError) { try await knownVault().kind } }

  /// The place of the group's key, for people: "the key file …".
  package var vaultPlace: String { get async throws(AccountError) { try await knownVault().place(of: group) } }

  /// The problem of the vault; nil when the group's key is at hand, or can be made when it is needed.
  package func checkVault() async -> AccountError? {
    do throws(AccountError) {
      _ = try await vault().storedKey(for: group)
      return nil
    } catch { return error }
  }

  /// Moves the group's key to another vault. The accounts stay as they are, for other processes too. The key is put
  /// into the new vault and read back, then the store is told, and only then it is removed from the old one: whenever
  /// this is interrupted, the key is where the store says. To call it again completes it.
  package func moveKeys(to kind: VaultKind) async throws(AccountError) {
    let target = try vaults.vault(kind)
    try vaults.checkReach(of: target)
    try await whileNobodyMakesKeys { () async throws(AccountError) in
      let source = try await knownVault()
      try vaults.checkReach(of: source)
      guard let key = try await source.storedKey(for: group) else { return try await record(kind) }
      try await target.keep(key, for: group)
      guard try await target.storedKey(for: group)?.json == key.json else {
        throw AccountError(.keyUnusable, "\(target.place(of: group)) does not give back the key that was put there")
      }
      try await record(kind)
      for vault in vaults.others(than: kind) { try await vault.removeKey(for: group) }
    }
  }

  /// The key that seals the group's tokens, made when there is none.
  func key() async throws(AccountError) -> JWK {
    if let groupKey { return groupKey }
    return try await whileNobodyMakesKeys { () async throws(AccountError) in
      // Another coroutine may have been faster.
      if let groupKey { return groupKey }
      let vault = try await vault()
      if isShared { return try await makeSharedKey(in: vault) }
      // The store is told first: a key that it does not know of would be made a second time.
      try await record(vault.kind)
      let key = try await vault.key(for: group)
      groupKey = key
      return key
    }
  }

  /// The vault to use. Throws `vault_unusable` when it is out of reach, or not the one that was asked for.
  private func vault() async throws(AccountError) -> any Vault {
    let (vault, choice) = (try await knownVault(), vaults.choice)
    guard choice == .automatic || choice.rawValue == vault.kind.rawValue else {
      throw AccountError(
        .vaultUnusable,
        "the key of the accounts \(group) is in \(vault.place(of: group)), not in the vault \(choice.rawValue)",
        hint: "take vault out of the settings"
          + (isShared ? "" : ", or move the key: b2c-run accounts --vault \(choice.rawValue)"))
    }
    try vaults.checkReach(of: vault)
    return vault
  }

  /// The vault that the store says the key is in; else the one where a key is found, else the one for a new key.
  private func knownVault() async throws(AccountError) -> any Vault {
    if !isShared, let kind = try await recordedKind() { return try vaults.vault(kind) }
    return try await vaults.vaultForNewKey(of: group)
  }

  private func recordedKind() async throws(AccountError) -> VaultKind? {
    let row = try await use { try await $0.first("SELECT kind FROM vault WHERE vault_group = ?", .text(group)) }
    return row?["kind"].text.flatMap(VaultKind.init)
  }

  private func record(_ kind: VaultKind) async throws(AccountError) {
    guard try await recordedKind() != kind else { return }
    try await change {
      try await $0.execute(
        """
        INSERT INTO vault (vault_group, kind) VALUES (?, ?)
        ON CONFLICT (vault_group) DO UPDATE SET kind = excluded.kind
        """, .text(group), .text(kind.rawValue))
    }
  }
}
