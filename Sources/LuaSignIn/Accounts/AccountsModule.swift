import Accounts
import Automation
import HostLoop
package import Lua
package import LuaKit
import Permissions
import Settings

/// `b2c.accounts`
package struct AccountsModule: LuaModule {
  let signIns: ScriptSignIns

  package init(_ signIns: ScriptSignIns) { self.signIns = signIns }

  /// The module, for the documentation and for `b2c`.
  package var module: HostModule {
    HostModule(
      "accounts", "Signed-in accounts, and events about them.",
      notes: """
        Accounts are kept under `$XDG_STATE_HOME/b2c-run` (by default `~/.local/state/b2c-run`), or in the folder of `--store`: a
        SQLite file with encrypted tokens, which only its owner can read, and a key file next to it. `--store` may also name a
        PostgreSQL database, which several machines share. The setting `keychain`
        names a group: scripts with the same group share their accounts. With `--local`, accounts are in memory, unless `--store` is
        given. See the page [Accounts](Accounts.md).

        A handler of `on_failed` may return options for another attempt; a sign-in has at most five attempts. Each failure
        calls the handlers once.
        """,
      example: """
        local accounts = require "b2c.accounts"

        local changes <close> = accounts.on_changed(function(change)
          print(change.kind, change.account.name, change.reason)
        end)

        local alice = accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
        alice.data.greeting = "Curiouser and curiouser!"
        alice:save()

        local bob = accounts.sign_in { agent = "headless", username = "bob", password = "Skyscraper-2" }
        assert(accounts.current() == bob)
        accounts.use(alice)
        print(accounts.current().data.greeting)

        accounts.sign_out(bob)
        """, functions, fields: [Parameter("flows", .list(of: .string), "The names of the flows.")]
    ) { [signIns] name, _ in name == "flows" ? signIns.context.list(signIns.flows.catalog.names) : .nil }
  }

  package static let functions: [ModuleFunction<Self>] = [
    signInFunction, all, find, get, current, use, signOut, onChanged, onFailed, vault, moveVault,
    addFlow,
  ]

  private var accounts: RunAccounts { signIns.session.accounts }

  private static let all = suspending(
    "accounts.all", "All accounts.", returns: .init(.list(of: .object("account")), "The accounts.")
  ) { module, _ in
    [.list(try await module.accounts.manager().store.all().map { .object(try module.signIns.accounts.value(of: $0)) })]
  }

  private static let find = suspending(
    "accounts.find", "Finds the account that matches all given fields.",
    .options(FindOptions.keys, required: true),
    returns: .init(.object("account"), optional: true, "nil if no account matches."),
    example: "local work = b2c.accounts.find { account_type = \"work\" }\nprint(work and work.name or \"nobody\")"
  ) { module, arguments in
    let options = try FindOptions(arguments)
    let account = try await module.accounts.manager().store.find(
      name: options.name, id: options.id,
      policy: try options.policy.flatMap { try module.signIns.session.settings().policy($0) },
      accountType: options.accountType)
    return [try account.map { .object(try module.signIns.accounts.value(of: $0)) } ?? .nil]
  }

  private struct FindOptions: LuaOptions {
    var name: String?
    var id: String?
    var policy: String?
    var accountType: String?

    static let fields: [Field] = [
      .init("name", \.name, "The name, as in account.name."),
      .init("id", \.id, "The ID, as in account.id."),
      .init("policy", \.policy, "A policy, or its name in settings.policies."),
      .init("account_type", \.accountType, "The account type given to sign_in."),
    ]
  }

  private static let get = suspending(
    "accounts.get", "Finds an account by name, user name or ID. If no account matches, the error lists the accounts.",
    .optional(
      "name", .string,
      "The account's name, the user name or email address at the provider, or the ID or its beginning; the current "
        + "account if not given."), returns: .init(.object("account"), "The account.")
  ) { module, arguments in
    if let name = arguments[0].string {
      return [.object(try await module.signIns.accounts.value(of: module.accounts.account(named: name)))]
    }
    guard let account = try await module.accounts.current() else { throw try await module.accounts.noCurrent() }
    return [.object(try module.signIns.accounts.value(of: account))]
  }

  private static let current = suspending(
    "accounts.current", "The current account: the account of the latest sign_in or use.",
    returns: .init(.object("account"), optional: true, "nil if no account exists.")
  ) { module, _ in
    [try await module.accounts.current().map { .object(try module.signIns.accounts.value(of: $0)) } ?? .nil]
  }

  private static let use = suspending(
    "accounts.use", "Makes an account the current account.", Parameter("account", .object("account"), "The account.")
  ) { module, arguments in
    let object: LuaAccount = try arguments.object(0)
    try module.accounts.demandChange(of: object.account, "use", arguments.function.name)
    try await module.accounts.manager().store.use(object.account)
    return []
  }

  private static let signOut = suspending(
    "accounts.sign_out", "Removes an account and its tokens.",
    Parameter("account", .object("account"), "The account to sign out."),
    options: SignOutOptions.keys,
    returns: .init(
      .boolean, optional: true,
      "With everywhere: true if the session at the provider has ended, false if nobody knows. The agent system never knows; with "
        + "the agent headless, a warning says why.")
  ) { module, arguments in
    let object: LuaAccount = try arguments.object(0)
    let account = object.account
    try module.accounts.demandChange(of: account, "sign out", arguments.function.name)
    module.accounts.mayBeSignedOut.insert(account.id)
    var isOver: Bool?
    let options = try SignOutOptions(arguments)
    if options.isEverywhere == true {
      let run = module.signIns.context.run
      let usual = run.usualAgent(of: account) { module.signIns.agents[$0] != nil }
      let agent = try options.agent.merged(into: usual, arguments, module.signIns)
      isOver = try await run.signOut(account, by: agent)
    }
    try await module.accounts.manager().signOut(account)
    module.signIns.accounts.forget(account)
    return [isOver.map { .boolean($0) } ?? .nil]
  }

  private struct SignOutOptions: LuaOptions {
    var isEverywhere: Bool?
    var agent = AgentOptions()

    static let fields: [Field] =
      [
        .init(
          "everywhere", \.isEverywhere,
          "Also revoke the refresh token, if the provider can, and end the session with the agent of the sign-in. If the "
            + "provider refuses to revoke the token, a warning is logged.")
      ]
      + Field.nested(AgentOptions.fields, in: \.agent).filter {
        ["agent", "session", "timeout"].contains($0.parameter.name)
      }
  }

  private static let addFlow = function(
    "accounts.add_flow",
    "Names a flow for this run. accounts.sign_in takes the name, and an account remembers it for its refreshes.",
    Parameter("name", .string, "The name, which is not the name of a stock flow or of a plugin's flow."),
    Parameter("flow", .anyFlow, "The flow: a function, or a table with sign_in and refresh.")
  ) { module, arguments in
    try LuaFlow.check(arguments[1], "accounts.add_flow: argument 2", arguments.state)
    guard let flow = LuaFlow(arguments[1]) else {
      throw arguments.failure("argument 2: expected a function, or a table with a function sign_in")
    }
    try module.signIns.flows.add(flow, named: arguments.string(0))
    return []
  }

  private static let onChanged = function(
    "accounts.on_changed", "Calls the function whenever an account is added, updated or removed.",
    Parameter("f", .callback([Parameter("change", .record(.change), "The change.")]), "The function to call."),
    returns: .init(
      .object("subscription"), "The subscription. It ends with :close(), with its <close> variable, or with the script."
    ),
    example: """
      local changes <close> = b2c.accounts.on_changed(function(change)
        print(change.kind, change.account.name, change.reason)
      end)
      b2c.tenant.sign_in()
      """
  ) { module, arguments in
    guard let function = arguments[0].function else { return [] }
    let subscription = module.accounts.events.onChanged { [weak signIns = module.signIns] change in
      guard let signIns else { throw AccountError.runEnded }
      _ = try await signIns.session.events.call(
        function, [try signIns.accounts.value(change)], as: "on_changed", change.summary)
    }
    return [.object(LuaSubscription(subscription))]
  }

  private static let onFailed = function(
    "accounts.on_failed",
    "Calls the function whenever a sign-in or a refresh fails. The function may return sign-in options for "
      + "another attempt; other options keep their values.",
    Parameter(
      "f",
      .callback(
        [Parameter("failure", .record(.signInFailure), "The failure.")],
        returns: [.init(.options(SignInOptions.keys), optional: true, "The options for another attempt.")]),
      "The function to call."),
    returns: .init(
      .object("subscription"), "The subscription. It ends with :close(), with its <close> variable, or with the script."
    ),
    example: """
      b2c.accounts.on_failed(function(failure)
        print(failure.attempt, failure.stage, failure.error.code)
        -- Azure AD B2C's word for "Forgot your password?".
        if failure.error.code == "AADB2C90118" then return { policy = "reset" } end
      end)
      """
  ) { module, arguments in
    guard let function = arguments[0].function else { return [] }
    let subscription = module.accounts.events.onFailed { [weak signIns = module.signIns] failure in
      guard let signIns else { throw AccountError.runEnded }
      let answer = try await signIns.session.events.call(
        function, [try signIns.accounts.value(failure)], as: "on_failed", failure.summary)
      return try await AccountsModule(signIns).request(answer, after: failure)
    }
    return [.object(LuaSubscription(subscription))]
  }

  private static let vault = suspending(
    "accounts.vault", "The store of the accounts, and the key that encrypts their tokens.",
    returns: .init(.record(.vault), "The store and the key.")
  ) { module, _ in
    let store = try await module.accounts.manager().store
    let problem = await store.checkVault()
    return [
      .record([
        ("kind", .string(try await store.vaultKind.rawValue)), ("place", .string(try await store.vaultPlace)),
        ("store", .path(store.path)), ("problem", problem.map { module.signIns.context.state.errorObject($0) } ?? .nil),
      ])
    ]
  }

  private static let moveVault = suspending(
    "accounts.move_vault", "Moves the key that encrypts the accounts' tokens. The accounts stay signed in.",
    Parameter("kind", .choice([VaultKind.keyFile.rawValue, VaultKind.secretService.rawValue]), "The new storage.")
  ) { module, arguments in
    try module.signIns.session.permissions.check(action: "move the key of the accounts", by: arguments.function.name)
    if let kind = VaultKind(rawValue: arguments.string(0)) {
      try await module.accounts.manager().store.moveKeys(to: kind)
    }
    return []
  }

}

extension LuaRecord {
  /// The argument of `on_changed`.
  package static let change = LuaRecord(
    "change", "A change of an account.",
    Parameter("kind", .choice(["added", "updated", "removed"]), "The kind of the change."),
    Parameter("account", .object("account"), "The account that changed."),
    Parameter("reason", .choice(["sign_in", "refresh", "user_data", "sign_out", "revoked"]), "The reason."))

  /// The argument of `on_failed`.
  package static let signInFailure = LuaRecord(
    "sign-in failure", "A sign-in or a refresh that failed.",
    Parameter("error", .record(.error), "The error."),
    .optional("policy", .string, "The policy of the sign-in."),
    Parameter("stage", .choice(["authorize", "token", "refresh"]), "The step that failed."),
    Parameter("account_type", .string, "The type given at sign-in."),
    .optional("account", .object("account"), "The account whose refresh failed."),
    Parameter("attempt", .integer, "The number of the attempt, from 1 to 5."))

  static let vault = LuaRecord(
    "vault", "The store of the accounts, and the key that encrypts their tokens.",
    Parameter("kind", .choice(["key_file", "secret_service", "memory"]), "The kind of key storage."),
    Parameter("place", .string, "The place of the key."),
    Parameter("store", .string, "The path of the accounts."),
    .optional("problem", .record(.error), "The error that prevents the use of the key."))
}
