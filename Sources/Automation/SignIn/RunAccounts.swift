package import Accounts
import Core
import Glibc
import HTTPClient
package import HostLoop
import JSON
import OAuth
import Settings

/// The accounts of a run: the store, which of them a call means, and who may use their tokens.
@HostActor
package final class RunAccounts {
  unowned let automation: Automation
  /// The subscriptions to changes of accounts. They may be made before the store is opened.
  package let events = AccountEvents()
  private var opened: AccountManager?
  /// The accounts, by their IDs, that have signed in in this run.
  package var signedIn: Set<String> = []
  /// The accounts of other providers, by their IDs, that the person lets this run sign out at their providers.
  package var mayBeSignedOut: Set<String> = []

  init(_ automation: Automation) {
    self.automation = automation
    _ = events.onClockSkew { [console = automation.console] skew in
      console.log(.warn, "\(skew.message); \(skew.hint ?? "")")
    }
  }

  /// The account store with its events and refreshes, opened at the first call.
  package func manager() throws -> AccountManager {
    if let opened { return opened }
    let settings = try automation.settings()
    let store = try AccountStore(
      location(), group: settings.keychain ?? AccountStore.defaultGroup,
      vault: VaultChoice(rawValue: settings.vault) ?? .automatic)
    if let note = store.note { automation.console.log(note.isWarning ? .warn : .info, note.sentence) }
    store.checkOpening = { [unowned self] account throws(AccountError) in try checkOpening(of: account) }
    let manager = manager(of: store)
    opened = manager
    return manager
  }

  /// Uses the store that another run of the same tenant has opened.
  package func share(_ other: RunAccounts) throws { opened = manager(of: try other.manager().store) }

  private func manager(of store: AccountStore) -> AccountManager {
    AccountManager(store: store, events: events, runEvents: automation.events) { [unowned self] account in
      OAuthTokenRefresher(automation.clients.client(for: try await self.settings(of: account), isOfAccount: true))
    }
  }

  /// The place of the store. The accounts of a local tenant go with it: the next one is another issuer, on another port.
  package func location() throws -> AccountStore.Location {
    if let path = automation.configuration.storePath { return .folder(path) }
    if automation.tenant != nil { return .memory }
    return .userFolder(try AccountStore.standardFolder(), earlier: AccountStore.earlierFolder())
  }

  /// The account that calls without one use: that of `--account`, else the one last signed in or used; nil when there
  /// is none.
  package func current() throws -> Account? {
    if let name = automation.configuration.accountName { return try account(named: name, by: "--account") }
    return try manager().store.current()
  }

  /// The current account, for a call that needs one with its tokens.
  /// - Throws: `no_account`
  package func required(for call: String) throws -> Account {
    guard let account = try current() else { throw try noCurrent(for: call) }
    // A user who named the account hears of the obstacle from the call that uses it.
    guard automation.configuration.accountName == nil, let obstacle = obstacleToTokens(of: account) else {
      return account
    }
    throw SignInError(
      .noAccount, "\(call): nobody is signed in with these settings: \(obstacle)",
      hint: "\(adviceToSignIn); or name the settings of the current account: --settings FILE")
  }

  /// The error when nobody is signed in, or when others are and the current account has been signed out.
  /// - Parameter call: the name of the call that needs the account, for the message; nil to name none.
  package func noCurrent(for call: String? = nil) throws -> SignInError {
    let prefix = call.map { "\($0): " } ?? ""
    let names = try names()
    if names.isEmpty { return SignInError(.noAccount, "\(prefix)nobody is signed in", hint: adviceToSignIn) }
    return SignInError(
      .noAccount, "\(prefix)none of the accounts is the current one: \(names.joined(separator: ", "))",
      hint: "choose one with \(automation.configuration.commandLine("accounts use NAME")), "
        + "or with accounts.use in a script")
  }

  /// The account that a person calls by its name, its user name, its ID, or the beginning of its ID. The first of these
  /// that finds any decides.
  ///
  /// Accounts of one name are those of one person by several policies: the current one is meant, or the last one signed in.
  /// - Parameter option: the option that names it, for the message.
  /// - Throws: `no_account`, `ambiguous_account`
  package func account(named name: String, by option: String? = nil) throws -> Account {
    let store = try manager().store
    if let account = try store.find(name: name) ?? store.find(id: name) { return account }
    let all = try store.all()
    let byUser = all.filter { $0.goes(by: name) }
    let found = byUser.isEmpty && name.count >= 4 ? all.filter { $0.id.hasPrefix(name) } : byUser
    let prefix = option.map { "\($0): " } ?? ""
    if Set(found.map(\.name)).count > 1 || byUser.isEmpty && found.count > 1 {
      let choices = found.map { "\($0.name) (\($0.id))" }.joined(separator: ", ")
      throw SignInError(
        .ambiguousAccount, "\(prefix)several accounts go by '\(name)': \(choices)", hint: "give the ID of one")
    }
    if let first = found.first {
      let preferred = try store.find(name: first.name)
      return found.first { $0 === preferred } ?? first
    }
    let names = try names()
    let users = all.flatMap(\.userNames)
    let known = names + users + users.map { String($0.prefix { $0 != "@" }) }
    let near = nearestName(to: name, in: known).map { "did you mean '\($0)'?" }
    throw SignInError(
      .noAccount, "\(prefix)there is no account named '\(name)'",
      hint: names.isEmpty ? "nobody is signed in" : near ?? "there are \(names.joined(separator: ", "))")
  }

  /// The accounts' names, each once.
  private func names() throws -> [String] {
    var names: [String] = []
    for account in try manager().store.all() where !names.contains(account.name) { names.append(account.name) }
    return names
  }

  /// How somebody can sign in. With the local tenant another run cannot.
  private var adviceToSignIn: String {
    automation.tenant == nil
      ? "\(automation.configuration.commandLine("sign-in")) does it, or accounts.sign_in { … } in a script"
      : "with --local, a script signs in one of the tenant's users: tenant.sign_in()"
  }

  /// The names of the accounts for the completion of command lines: of each the user name, or else its name. This makes no
  /// store, and opens no token.
  package var namesToComplete: [String] {
    let folders = [
      automation.configuration.storePath, try? AccountStore.standardFolder(), AccountStore.earlierFolder(),
    ]
    guard folders.contains(where: { $0.map { access("\($0)/accounts.sqlite", F_OK) == 0 } ?? false }) else { return [] }
    let group = (try? automation.settings())?.keychain ?? AccountStore.defaultGroup
    guard let location = try? location(), let store = try? AccountStore(location, group: group),
      let accounts = try? store.all()
    else { return [] }
    var names: [String] = []
    for name in accounts.map({ $0.userNames.first ?? $0.name }) where !names.contains(name) { names.append(name) }
    return names
  }
}

extension Account {
  /// The names that the user may sign in by, from the provider's claims: user names, addresses.
  package var userNames: [String] {
    let texts = ["preferred_username", "username", "upn", "email", "signInName"].compactMap { claims[$0]?.string }
    let addresses = (claims["emails"]?.array ?? []).compactMap(\.string)
    var names: [String] = []
    for name in texts + addresses where !name.isEmpty && !names.contains(name) { names.append(name) }
    return names
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
