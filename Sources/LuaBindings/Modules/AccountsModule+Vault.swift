import Accounts
import HostLoop
import Lua
import Permissions

/// Where accounts and the key of their tokens are kept.
extension ScriptHost {
  var accountsVault: HostFunction {
    .suspending(
      "accounts.vault", "Where the accounts are kept, and the key that seals their tokens.",
      returns: [.init(.record(.vault), "What is known of both.")]
    ) { [self] _ in
      let store = try accounts().store
      let problem = await store.checkVault()
      return [
        .record([
          ("kind", .string(try await store.vaultKind.rawValue)), ("place", .string(try await store.vaultPlace)),
          ("store", .string(store.path)), ("problem", problem.map { state.errorObject($0) } ?? .nil),
        ])
      ]
    }
  }

  var accountsMoveVault: HostFunction {
    .suspending(
      "accounts.move_vault", "Moves the key that seals the accounts' tokens; they stay signed in.",
      [Parameter("kind", .choice([VaultKind.keyFile.rawValue, VaultKind.secretService.rawValue]), "Where to.")]
    ) { [self] arguments in
      try permissions.check(action: "move the key of the accounts", by: arguments.function.name)
      if let kind = VaultKind(rawValue: arguments.string(0)) { try await accounts().store.moveKeys(to: kind) }
      return []
    }
  }
}
