package import Accounts
package import Core
import DatabaseAddress
import Databases
import Files
package import HTTPClient
package import HostLoop
import JSON
package import OAuth
package import Settings

/// The accounts of a run: the store, which of them a call means, and who may use their tokens.
@HostActor
package final class RunAccounts {
  let session: SessionContext
  let providers: Providers
  /// The subscriptions to changes of accounts. They may be made before the store is opened.
  package let events = AccountEvents()
  /// The manager, once the store is open.
  package private(set) var opened: AccountManager?
  private let opening = Turnstile()
  /// The accounts, by their IDs, that have signed in in this run.
  package var signedIn: Set<String> = []
  /// The tokens that somebody uses, by the IDs of their accounts.
  var tokens: [String: AccountTokens.Reference] = [:]
  /// The accounts of other providers, by their IDs, that the person lets this run sign out at their providers.
  package var mayBeSignedOut: Set<String> = []

  /// Gets new tokens by the function `refresh` of the flow that the account remembers. The token is the account's refresh
  /// token, if it has one.
  package var renewByFlow: (@HostActor (Account, SignInAttempt, Secret?) async throws -> TokenSet)?

  init(_ session: SessionContext, _ providers: Providers) {
    self.session = session
    self.providers = providers
    providers.accounts = self
    _ = events.onClockSkew { [console = session.console] skew in
      console.log(.warn, "\(skew.message); \(skew.hint ?? "")")
    }
  }

  /// The account store with its events and refreshes, opened at the first call.
  package func manager() async throws -> AccountManager {
    if let opened { return opened }
    // Another coroutine may be opening it.
    return try await opening.pass { try await self.open() }
  }

  private func open() async throws -> AccountManager {
    if let opened { return opened }
    let settings = try session.settingsIfAny()
    let store = try await AccountStore(
      location(), group: settings?.keychain ?? AccountStore.defaultGroup,
      vault: settings.flatMap { VaultChoice(rawValue: $0.vault) } ?? .automatic,
      tell: { [console = session.console] in console.log(.warn, $0) })
    if let note = store.note { session.console.log(note.isWarning ? .warn : .info, note.sentence) }
    // Work of the store may end after the run.
    store.checkOpening = { [weak self] account throws(AccountError) in
      guard let self else { throw AccountError.runEnded }
      try checkOpening(of: account)
    }
    try await demandReplayable(store)
    let manager = manager(of: store)
    opened = manager
    return manager
  }

  /// A replay begins without accounts, whose tokens a trace does not keep.
  private func demandReplayable(_ store: AccountStore) async throws {
    guard let tape = CurrentTape.value else { return }
    let kept = try await tape.input(.accounts, "", waiting: { Array(String(try await store.all().count).utf8) })
    let count = Int(String(decoding: kept, as: UTF8.self)) ?? 0
    guard count == 0 else {
      throw AccountError(
        .storeUnusable, "a trace for replays keeps no accounts, and the store has \(count) when the run begins",
        hint: "name an empty store with --store FOLDER, and let the script sign in")
    }
  }

  /// Uses the store that another run of the same tenant has opened.
  package func share(_ other: RunAccounts) async throws { opened = manager(of: try await other.manager().store) }

  private func manager(of store: AccountStore) -> AccountManager {
    AccountManager(store: store, events: events, runEvents: session.events) { [weak self] account in
      guard let self else { throw AccountError.runEnded }
      let provider = try await provider(of: account)
      guard account.refreshFlow != nil, let renewByFlow else { return OAuthTokenRefresher(provider) }
      return FlowRefresher(provider: provider, renew: renewByFlow)
    }
  }

  /// The place of the store. The accounts of a local tenant go with it: the next one is another issuer, on another port.
  package func location() throws -> AccountStore.Location {
    let isTemporary = session.tenant != nil || session.configuration.forgetsAccounts
    if session.configuration.storePath == nil, isTemporary { return .memory }
    return try session.configuration.storeLocation()
  }

  /// The database that other machines use, too, as messages name it; nil for a store of this machine.
  package func sharedPlace() throws -> String? {
    if case .database(let address) = try location() { address.shown } else { nil }
  }

  /// The account that calls without one use: that of `--account`, else the last one signed in or used; nil without one.
  package func current() async throws -> Account? {
    if let name = session.configuration.accountName { return try await account(named: name, by: "--account") }
    return try await manager().store.current()
  }

  /// The current account, for a call that needs one with its tokens. Throws `no_account`.
  package func required(for call: String) async throws -> Account {
    guard let account = try await current() else { throw try await noCurrent(for: call) }
    // A user who named the account hears of the obstacle from the call that uses it.
    guard session.configuration.accountName == nil, let obstacle = obstacleToTokens(of: account) else {
      return account
    }
    throw SignInError(
      .noAccount, "\(call): nobody is signed in with these settings: \(obstacle)",
      hint: "\(adviceToSignIn); or name the settings of the current account: --settings FILE")
  }

  /// The error when nobody is signed in, or when others are and the current account has been signed out.
  /// - Parameter call: the name of the call that needs the account, for the message; nil to name none.
  package func noCurrent(for call: String? = nil) async throws -> SignInError {
    let prefix = call.map { "\($0): " } ?? ""
    let names = try await names()
    if names.isEmpty { return SignInError(.noAccount, "\(prefix)nobody is signed in", hint: adviceToSignIn) }
    return SignInError(
      .noAccount, "\(prefix)none of the accounts is the current one: \(names.joined(separator: ", "))",
      hint: "choose one with \(session.configuration.commandLine("accounts use NAME")), "
        + "or with accounts.use in a script")
  }

  /// The account that a person calls by its name, its user name, its ID, or the beginning of its ID. The first of these
  /// that finds any decides. Of accounts of one person by several policies, the current one is meant, or the last one
  /// signed in. `option` is the option that names it, for the message. Throws `no_account`, `ambiguous_account`.
  package func account(named name: String, by option: String? = nil) async throws -> Account {
    let store = try await manager().store
    if let account = try await store.find(name: name) { return account }
    if let account = try await store.find(id: name) { return account }
    let all = try await store.all()
    let byUser = all.filter { $0.goes(by: name) }
    let found = byUser.isEmpty && name.count >= 4 ? all.filter { $0.id.hasPrefix(name) } : byUser
    let prefix = option.map { "\($0): " } ?? ""
    if Set(found.map(\.name)).count > 1 || byUser.isEmpty && found.count > 1 {
      let choices = found.map { "\($0.name) (\($0.id))" }.joined(separator: ", ")
      throw SignInError(
        .ambiguousAccount, "\(prefix)several accounts go by '\(name)': \(choices)", hint: "give the ID of one")
    }
    if let first = found.first {
      let preferred = try await store.find(name: first.name)
      return found.first { $0 === preferred } ?? first
    }
    let names = try await names()
    let users = all.flatMap(\.userNames)
    let known = names + users + users.map { String($0.prefix { $0 != "@" }) }
    let near = nearestName(to: name, in: known).map { "did you mean '\($0)'?" }
    throw SignInError(
      .noAccount, "\(prefix)there is no account named '\(name)'",
      hint: names.isEmpty ? "nobody is signed in" : near ?? "the accounts are \(names.joined(separator: ", "))")
  }

  private func names() async throws -> [String] { try await manager().store.all().map(\.name).unique }

  /// How somebody can sign in. With the local tenant another run cannot.
  private var adviceToSignIn: String {
    session.tenant == nil
      ? "\(session.configuration.commandLine("sign-in")) does it, or accounts.sign_in { … } in a script"
      : "with --local, a script signs in one of the tenant's users: tenant.sign_in()"
  }

  /// The user name, or else the name, of each account for completion. This makes no store, and opens no token.
  package func namesToComplete() async -> [String] {
    guard let location = try? location() else { return [] }
    if case .database = location {
    } else if !session.storeFolders.contains(where: { FileSystem.exists("\($0)/accounts.sqlite") }) {
      return []
    }
    let group = (try? session.settings())?.keychain ?? AccountStore.defaultGroup
    guard let store = try? await AccountStore(location, group: group), let accounts = try? await store.all() else {
      return []
    }
    return accounts.map { $0.userNames.first ?? $0.name }.unique
  }

  /// The settings with which the tokens of an account are renewed: this run's, when they lead to the same provider and
  /// nowhere else. The client secret is the account's own where they have none.
  package func settings(of account: Account) async throws -> Settings {
    var current = try? session.settings()
    // The refreshes of an account keep to the profile of its sign-in.
    if let profile = account.provider[SettingsKey.profile.rawValue], current?.profile == nil {
      current = try current?.with([SettingsKey.profile.rawValue: profile])
    }
    if let current, isOfThisProvider(account), unknownEndpoint(account.provider, current) == nil {
      if current.clientSecret != nil { return current }
      guard let secret = await keptSecret(of: account) else { return current }
      return try current.with([SettingsKey.clientSecret.rawValue: .string(secret.reveal())])
    }
    return try Settings(
      provider: account.provider, clientSecret: await keptSecret(of: account), source: "the account \(account.name)")
  }

  /// The provider that renews the tokens of an account.
  func provider(of account: Account) async throws -> Provider {
    providers.provider(for: try await settings(of: account), isOfAccount: true)
  }

  /// The certificate of the settings with which the tokens of an account are renewed; nil if they name none.
  package func certificate(of account: Account) async throws -> ClientCertificate? {
    let provider = try await provider(of: account)
    guard provider.settings.clientCertificate != nil else { return nil }
    return try await provider.credentials.certificate(.token)
  }

  /// The word before the token in `Authorization`: the type that came with the account's token, unless that is the usual
  /// one; else the setting `tokenType` that the account signed in with, or of this run.
  package func tokenType(of account: Account) async throws -> String {
    let kept = try await manager().tokens(of: account).tokenType
    return kept.lowercased() == "bearer" ? tokenTypeSetting(of: account) ?? "Bearer" : kept
  }

  /// The setting `tokenType` that the account signed in with, else that of this run.
  package func tokenTypeSetting(of account: Account) -> String? {
    account.provider[SettingsKey.tokenType.rawValue]?.string ?? (try? session.settings().tokenType)
  }

  /// Nil for an account that was signed out, or whose tokens do not open: the call that needs the secret reports that.
  func keptSecret(of account: Account) async -> Secret? {
    try? await manager().tokens(of: account).clientSecret
  }

  /// True if this run's settings lead to where the account signed in, or nobody knows where that was.
  private func isOfThisProvider(_ account: Account) -> Bool {
    if account.provider.object?.isEmpty != false { return true }
    return (try? session.settings())?.leads(to: account.provider) == true
  }
}

extension Account {
  /// The names that the user may sign in by, from the provider's claims: user names, addresses.
  package var userNames: [String] {
    let texts = ["preferred_username", "username", "upn", "email", "signInName"].compactMap { claims[$0]?.string }
    let addresses = (claims["emails"]?.array ?? []).compactMap(\.string)
    return (texts + addresses).filter { !$0.isEmpty }.unique
  }

  /// True if the name is one of the user's, in any letter case; of an address the part in front of the `@` will do.
  fileprivate func goes(by name: String) -> Bool {
    let wanted = name.lowercased()
    return userNames.contains { known in
      let known = known.lowercased()
      return known == wanted || known.prefix { $0 != "@" } == wanted
    }
  }

  /// A name that the provider may know the user by, for `login_hint`.
  package var loginHint: String? {
    claims["preferred_username"]?.string ?? claims["emails"]?.array?.first?.string ?? claims["email"]?.string
  }
}

extension [String] {
  fileprivate var unique: [String] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}
