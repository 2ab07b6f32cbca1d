import Accounts
import Automation
import HostLoop
import Lua
import Permissions
import Settings

/// `b2c.accounts`
struct AccountsModule: LuaModule {
  unowned let host: ScriptHost

  var module: HostModule {
    HostModule(
      "accounts", "Signed-in accounts, and events about them.", notes: Self.notes, example: Self.example,
      [signInFunction, all, find, get, current, use, signOut, onChanged, onFailed, vault, moveVault],
      fields: [Parameter("flows", .list(of: .string), "The names of the flows.")]
    ) { [host] name, _ in name == "flows" ? host.list(host.registry.flows.names) : .nil }
  }

  private var accounts: RunAccounts { host.automation.accounts }

  private var all: HostFunction {
    HostFunction("accounts.all", "Every account.", returns: [.init(.list(of: .object("account")), "The accounts.")]) {
      [self] _ in [.list(try accounts.manager().store.all().map { .object(try host.luaAccount($0)) })]
    }
  }

  private var find: HostFunction {
    HostFunction(
      "accounts.find", "Finds the account that matches all given fields.",
      [
        .options(
          [
            Parameter("name", .string, optional: true, "The name, as in account.name."),
            Parameter("id", .string, optional: true, "The ID, as in account.id."),
            Parameter("policy", .string, optional: true, "A policy, or its name in settings.policies."),
            Parameter("account_type", .string, optional: true, "The account type given to sign_in."),
          ], required: true)
      ], returns: [.init(.object("account"), optional: true, "nil if no account matches.")],
      example: "local work = b2c.accounts.find { account_type = \"work\" }\nprint(work and work.name or \"nobody\")"
    ) { [self] arguments in
      let account = try accounts.manager().store.find(
        name: arguments["name"].string, id: arguments["id"].string,
        policy: try arguments["policy"].string.flatMap { try host.settings().policy($0) },
        accountType: arguments["account_type"].string)
      return [try account.map { .object(try host.luaAccount($0)) } ?? .nil]
    }
  }

  private var get: HostFunction {
    HostFunction(
      "accounts.get",
      "Finds an account by name, user name or ID. If no account matches, the error lists the accounts.",
      [
        Parameter(
          "name", .string, optional: true,
          "The account's name, the user name or email address at the provider, or the ID or its beginning; the current "
            + "account if not given.")
      ], returns: [.init(.object("account"), "The account.")]
    ) { [self] arguments in
      if let name = arguments[0].string { return [.object(try host.luaAccount(accounts.account(named: name)))] }
      guard let account = try accounts.current() else { throw try accounts.noCurrent() }
      return [.object(try host.luaAccount(account))]
    }
  }

  private var current: HostFunction {
    HostFunction(
      "accounts.current", "The account of the latest sign_in or use.",
      returns: [.init(.object("account"), optional: true, "nil if no account exists.")]
    ) { [self] _ in [try accounts.current().map { .object(try host.luaAccount($0)) } ?? .nil] }
  }

  private var use: HostFunction {
    HostFunction(
      "accounts.use", "Makes an account the current one.", [Parameter("account", .object("account"), "The account.")]
    ) { [self] arguments in
      let object: LuaAccount = try arguments.object(0)
      try accounts.demandChange(of: object.account, "use", arguments.function.name)
      try accounts.manager().store.use(object.account)
      return []
    }
  }

  private var signOut: HostFunction {
    .suspending(
      "accounts.sign_out", "Removes an account and its tokens.",
      [
        Parameter("account", .object("account"), "The account to sign out."),
        .options(
          [
            Parameter(
              "everywhere", .boolean, optional: true,
              "Also revoke the refresh token, if the provider can, and end the session with the agent of the sign-in. If the "
                + "provider refuses to revoke the token, a warning is logged.")
          ] + AgentChoice.keys.filter { ["agent", "session", "timeout"].contains($0.name) }),
      ],
      returns: [
        .init(
          .boolean, optional: true,
          "With everywhere: true if the session at the provider surely ended. A browser cannot tell.")
      ]
    ) { [self] arguments in
      let object: LuaAccount = try arguments.object(0)
      let account = object.account
      try accounts.demandChange(of: account, "sign out", arguments.function.name)
      accounts.mayBeSignedOut.insert(account.id)
      var isOver: Bool?
      if arguments["everywhere"].isTrue {
        let signOut = SignOut(host.automation, account)
        var agent = signOut.usualAgent { host.registry.agents[$0] != nil }
        try agent.merge(arguments.options.filter { $0.key != "everywhere" }, arguments, host)
        isOver = try await signOut.run(by: agent)
      }
      try await accounts.manager().signOut(account)
      host.luaAccounts[account.id] = nil
      return [isOver.map { .boolean($0) } ?? .nil]
    }
  }

  private var onChanged: HostFunction {
    HostFunction(
      "accounts.on_changed", "Calls the function whenever an account is added, updated or removed.",
      [Parameter("f", .callback([Parameter("change", .record(.change), "The change.")]), "The function to call.")],
      returns: [.init(.object("subscription"), "It ends with :close(), as a <close> variable, or with the script.")],
      example: """
        local changes <close> = b2c.accounts.on_changed(function(change)
          print(change.kind, change.account.name, change.reason)
        end)
        b2c.tenant.sign_in()
        """
    ) { [self] arguments in
      guard let function = arguments[0].function else { return [] }
      let subscription = accounts.events.onChanged { [host] change in
        _ = try await host.call(function, [try host.value(change)], as: "on_changed", change.summary)
      }
      return [.object(LuaSubscription(subscription))]
    }
  }

  private var onFailed: HostFunction {
    HostFunction(
      "accounts.on_failed",
      "Calls the function whenever a sign-in or a refresh fails. The function may return sign-in options for "
        + "another attempt; other options keep their values.",
      [
        Parameter(
          "f",
          .callback(
            [Parameter("failure", .record(.signInFailure), "The failure.")],
            returns: [.init(.options(SignInOptions.keys), optional: true, "The options for another attempt.")]),
          "The function to call.")
      ], returns: [.init(.object("subscription"), "It ends with :close(), as a <close> variable, or with the script.")],
      example: """
        b2c.accounts.on_failed(function(failure)
          print(failure.attempt, failure.stage, failure.error.code)
          -- Azure AD B2C's word for "Forgot your password?".
          if failure.error.code == "AADB2C90118" then return { policy = "reset" } end
        end)
        """
    ) { [self] arguments in
      guard let function = arguments[0].function else { return [] }
      let subscription = accounts.events.onFailed { failure in
        let answer = try await host.call(function, [try host.value(failure)], as: "on_failed", failure.summary)
        return try await request(answer, after: failure)
      }
      return [.object(LuaSubscription(subscription))]
    }
  }

  private var vault: HostFunction {
    .suspending(
      "accounts.vault", "The store of the accounts, and the key that encrypts their tokens.",
      returns: [.init(.record(.vault), "The store and the key.")]
    ) { [self] _ in
      let store = try accounts.manager().store
      let problem = await store.checkVault()
      return [
        .record([
          ("kind", .string(try await store.vaultKind.rawValue)), ("place", .string(try await store.vaultPlace)),
          ("store", .string(store.path)), ("problem", problem.map { host.state.errorObject($0) } ?? .nil),
        ])
      ]
    }
  }

  private var moveVault: HostFunction {
    .suspending(
      "accounts.move_vault", "Moves the key that encrypts the accounts' tokens. The accounts stay signed in.",
      [Parameter("kind", .choice([VaultKind.keyFile.rawValue, VaultKind.secretService.rawValue]), "The new storage.")]
    ) { [self] arguments in
      try host.permissions.check(action: "move the key of the accounts", by: arguments.function.name)
      if let kind = VaultKind(rawValue: arguments.string(0)) { try await accounts.manager().store.moveKeys(to: kind) }
      return []
    }
  }
}
