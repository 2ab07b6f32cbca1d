import Accounts
import Automation
import Core
import HTTPClient
import HostLoop
import JSON
import Lua
import OAuth
import Settings

extension ScriptHost {
  /// The account store with its events and refreshes, opened when it is first needed.
  func accounts() throws -> AccountManager {
    if let openAccounts { return openAccounts }
    let settings = try settings()
    let store = try AccountStore(
      storeLocation(), group: settings.keychain ?? AccountStore.defaultGroup,
      vault: VaultChoice(rawValue: settings.vault) ?? .automatic)
    if let note = store.note { console.log(note.isWarning ? .warn : .info, note.sentence) }
    store.checkOpening = { [unowned self] account throws(AccountError) in try checkOpening(of: account) }
    let manager = AccountManager(store: store, events: events) { [unowned self] account in
      OAuthTokenRefresher(clients.client(for: try await self.settings(of: account), isOfAccount: true))
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
  func noCurrentAccount(_ prefix: String = "") throws -> LuaError {
    let names = try accountNames()
    if names.isEmpty {
      return LuaError(code: "no_account", message: "\(prefix)nobody is signed in", hint: adviceToSignIn)
    }
    return LuaError(
      code: "no_account", message: "\(prefix)none of the accounts is the current one: \(names.joined(separator: ", "))",
      hint: "choose one with \(configuration.commandLine("accounts use NAME")), or with accounts.use in a script")
  }

  /// Who can change that nobody is signed in. With the local tenant that is no other run.
  private var adviceToSignIn: String {
    tenant == nil
      ? "\(configuration.commandLine("sign-in")) does it, or accounts.sign_in { … } in a script"
      : "with --local, a script signs in one of the tenant's users: tenant.sign_in()"
  }

  /// The account of an option, else the current one; an error when nobody is signed in.
  func requiredAccount(_ arguments: Arguments) throws -> LuaAccount {
    if case .object(let object) = arguments["account"], let account = object as? LuaAccount { return account }
    guard let account = try currentAccount() else {
      throw try noCurrentAccount("\(arguments.function.name): ")
    }
    guard let obstacle = obstacleToTokens(of: account.account) else { return account }
    // Whoever named the account hears that from what uses it.
    if configuration.accountName != nil { return account }
    throw LuaError(
      code: "no_account", message: "\(arguments.function.name): nobody is signed in with these settings: \(obstacle)",
      hint: "\(adviceToSignIn); or name the settings of the current account: --settings FILE")
  }

  /// The same, where the option may be a function that gives the account. It is called when all else has been looked at, so
  /// that nobody signs in for what cannot be done.
  func givenAccount(_ arguments: Arguments) async throws -> LuaAccount {
    guard let function = arguments["account"].function else { return try requiredAccount(arguments) }
    let answer = try await call(function, [], as: "account", nil)
    guard case .object(let object) = answer, let account = object as? LuaAccount else {
      throw arguments.failure(option: "account", "expected the function to return an account, got \(answer.typeName)")
    }
    return account
  }

  /// A policy's name, whatever it is called in the settings.
  func policy(_ name: String?) throws -> String? { try name.flatMap { try settings().policy($0) } }

  /// The accounts of a local tenant go with it: the next one is another issuer, on another port.
  func storeLocation() throws -> AccountStore.Location {
    if let path = configuration.storePath { return .folder(path) }
    if tenant != nil { return .memory }
    return .userFolder(try AccountStore.standardFolder(), earlier: AccountStore.earlierFolder())
  }
}
