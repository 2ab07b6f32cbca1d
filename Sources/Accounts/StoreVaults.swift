import HostLoop

/// The vaults that a store's key may be in, and which one was asked for.
@HostActor
struct StoreVaults {
  let choice: VaultChoice
  let known: [any Vault]

  /// For a store in memory.
  init() {
    choice = .automatic
    known = [MemoryVault()]
  }

  /// For a store in files of that folder.
  init(choice: VaultChoice, folder: String) {
    self.choice = choice
    known = [KeyFileVault(folder: folder)]
  }

  func vault(_ kind: VaultKind) throws(AccountError) -> any Vault {
    guard let vault = known.first(where: { $0.kind == kind }) else {
      throw AccountError(
        .vaultUnusable, "this store cannot keep its key in the vault \(kind.rawValue)",
        hint: "use one of \(known.map(\.kind.rawValue).joined(separator: ", "))")
    }
    return vault
  }
}
