import HostLoop

@HostActor
struct StoreVaults {
  let choice: VaultChoice
  private let known: [any Vault]
  private var secretService: SecretServiceVault?
  /// True if a new key may go to the Secret Service without having been asked for.
  private var prefersSecretService = false
  private var hasBus = { false }

  /// For a store in memory.
  init() {
    choice = .automatic
    known = [MemoryVault()]
  }

  /// - Parameter isUserFolder: true if the folder is the user's own on this machine, and not one to be carried about.
  init(
    choice: VaultChoice, folder: String, store: String, isUserFolder: Bool,
    variable: @escaping @Sendable (String) -> String?
  ) {
    let service = SecretServiceVault(store: store, path: "\(folder)/accounts.sqlite")
    self.choice = choice
    known = [KeyFileVault(folder: folder), service]
    secretService = service
    prefersSecretService = isUserFolder
    hasBus = { SecretServiceVault.hasBus(variable) }
  }

  /// For a database of several machines, which has this ID.
  init(
    choice: VaultChoice, database id: String, variable: @escaping @Sendable (String) -> String?
  ) throws(AccountError) {
    self.choice = choice
    known = [
      KeyFileVault(
        folder: try AccountStore.keyFolder(ofDatabase: id, variable),
        credentials: AccountStore.credentialsFolder(variable))
    ]
  }

  /// The vault of that kind. Throws `vault_unusable` where there is none for this store.
  func vault(_ kind: VaultKind) throws(AccountError) -> any Vault {
    guard let vault = known.first(where: { $0.kind == kind }) else {
      throw AccountError(
        .vaultUnusable, "this store cannot keep its key in the vault \(kind.rawValue)",
        hint: "use \(known.map(\.kind.rawValue).joined(separator: " or "))")
    }
    return vault
  }

  func checkReach(of vault: any Vault) throws(AccountError) {
    guard vault.kind == .secretService, !hasBus() else { return }
    throw AccountError(
      .vaultUnusable,
      "the key of the accounts belongs in the Secret Service, and there is no desktop session: "
        + "DBUS_SESSION_BUS_ADDRESS is not set",
      hint: "run this in the desktop's session, or give another folder with --store, where the key is a file")
  }

  /// The vault for a group whose key is nowhere yet; one that has a key of the group is preferred to all others.
  func vaultForNewKey(of group: String) async throws(AccountError) -> any Vault {
    if let memory = known.first, memory.kind == .memory { return memory }
    let keyFile = try vault(.keyFile)
    switch choice {
    case .keyFile: return keyFile
    case .secretService:
      if try await keyFile.storedKey(for: group) != nil { return keyFile }
      return try vault(.secretService)
    case .automatic:
      if try await keyFile.storedKey(for: group) != nil { return keyFile }
      guard prefersSecretService, hasBus(), let secretService, await secretService.isReady() else { return keyFile }
      return secretService
    }
  }

  func others(than kind: VaultKind) -> [any Vault] {
    known.filter { $0.kind != kind && ($0.kind != .secretService || hasBus()) }
  }
}
