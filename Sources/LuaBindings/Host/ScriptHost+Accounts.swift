import Accounts
import HTTPClient
import HostLoop
import JOSE
import Lua
import OAuth
import Secrets
import Settings

extension ScriptHost {
  /// The account store with its events and refreshes, opened when it is first needed.
  func accounts() throws -> AccountManager {
    if let openAccounts { return openAccounts }
    let settings = try settings()
    let store = try AccountStore(
      storeLocation(), group: settings.keychain ?? AccountStore.defaultGroup,
      vault: VaultChoice(rawValue: settings.vault) ?? .automatic)
    let manager = AccountManager(store: store, events: events) { [unowned self] account in
      traced(OAuthTokenRefresher(clients.client(for: try await self.settings(of: account), isOfAccount: true)))
    }
    _ = events.onClockSkew { [console] skew in
      console.log(.warn, "\(skew.message); \(skew.hint ?? "")")
    }
    openAccounts = manager
    return manager
  }

  /// The one Lua value of an account.
  func luaAccount(_ account: Account) throws -> LuaAccount {
    if let known = luaAccounts[account.id], known.account === account { return known }
    let value = LuaAccount(account, try accounts(), self)
    luaAccounts[account.id] = value
    return value
  }

  /// The account that calls without one use: that of `--account`, else the one last signed in or used; nil when there
  /// is none.
  func currentAccount() throws -> LuaAccount? {
    if let name = configuration.accountName { return try account(named: name, by: "--account") }
    return try accounts().store.current().map(luaAccount)
  }

  /// Each once, for messages.
  func accountNames() throws -> [String] {
    var names: [String] = []
    for account in try accounts().store.all() where !names.contains(account.name) { names.append(account.name) }
    return names
  }

  /// Nobody is signed in; or others are, and the current account has been signed out.
  func noCurrentAccount(_ prefix: String = "", hint: String) throws -> LuaError {
    let names = try accountNames()
    if names.isEmpty { return LuaError(code: "no_account", message: "\(prefix)nobody is signed in", hint: hint) }
    return LuaError(
      code: "no_account", message: "\(prefix)none of the accounts is the current one: \(names.joined(separator: ", "))",
      hint: "choose one with b2c-run accounts use NAME, or with accounts.use in a script")
  }

  /// The account of an option, else the current one; an error when nobody is signed in.
  func requiredAccount(_ arguments: Arguments) throws -> LuaAccount {
    if case .object(let object) = arguments["account"], let account = object as? LuaAccount { return account }
    guard let account = try currentAccount() else {
      throw try noCurrentAccount("\(arguments.function.name): ", hint: "sign in first, with accounts.sign_in { … }")
    }
    guard let obstacle = obstacleToTokens(of: account.account) else { return account }
    // Whoever named the account hears that from what uses it.
    if configuration.accountName != nil { return account }
    throw LuaError(
      code: "no_account", message: "\(arguments.function.name): nobody is signed in with these settings: \(obstacle)",
      hint: "sign in first, or name the settings of the current account: --settings FILE")
  }

  /// A policy's name, whatever it is called in the settings.
  func policy(_ name: String?) throws -> String? { try name.flatMap { try settings().policy($0) } }

  /// The accounts of a local tenant go with it: the next one is another issuer, on another port.
  private func storeLocation() throws -> AccountStore.Location {
    if let path = configuration.storePath { return .folder(path) }
    if tenant != nil { return .memory }
    return .userFolder(try AccountStore.standardFolder())
  }
}
