import Accounts
import HostLoop
import Lua

extension ScriptHost {
  var accountsModule: HostModule {
    HostModule(
      "accounts", "Who is signed in, and what happens to them.", notes: Self.accountsNotes,
      example: Self.accountsExample,
      [
        signInFunction, accountsAll, accountsFind, accountsGet, accountsCurrent, accountsUse, accountsSignOut,
        onChanged, onFailed, accountsVault, accountsMoveVault,
      ],
      fields: [Parameter("flows", .list(of: .string), "The flows that can be named.")]
    ) { [self] name, _ in name == "flows" ? list(registry.flows.names) : .nil }
  }

  private var accountsAll: HostFunction {
    HostFunction("accounts.all", "Every account.", returns: [.init(.list(of: .object("account")), "The accounts.")]) {
      [self] _ in
      [.list(try accounts().store.all().map { .object(try luaAccount($0)) })]
    }
  }

  private var accountsFind: HostFunction {
    HostFunction(
      "accounts.find", "The account that matches everything given.",
      [
        .options(
          [
            Parameter("name", .string, optional: true, "As account.name."),
            Parameter("id", .string, optional: true, "As account.id."),
            Parameter("policy", .string, optional: true, "A policy, or its name in settings.policies."),
            Parameter("account_type", .string, optional: true, "As given to sign_in."),
          ], required: true)
      ], returns: [.init(.object("account"), optional: true, "nil when there is none.")],
      example: "local work = b2c.accounts.find { account_type = \"work\" }\nprint(work and work.name or \"nobody\")"
    ) { [self] arguments in
      let account = try accounts().store.find(
        name: arguments["name"].string, id: arguments["id"].string, policy: try policy(arguments["policy"].string),
        accountType: arguments["account_type"].string)
      return [try account.map { .object(try luaAccount($0)) } ?? .nil]
    }
  }

  private var accountsCurrent: HostFunction {
    HostFunction(
      "accounts.current", "The account last signed in or used.",
      returns: [.init(.object("account"), optional: true, "nil when there is none.")]
    ) { [self] _ in [try currentAccount().map { .object($0) } ?? .nil] }
  }

  private var accountsUse: HostFunction {
    HostFunction(
      "accounts.use", "Makes an account the current one.", [Parameter("account", .object("account"), "The account.")]
    ) { [self] arguments in
      let object: LuaAccount = try arguments.object(0)
      try demandChange(of: object.account, "use", arguments.function.name)
      try accounts().store.use(object.account)
      return []
    }
  }

  private var accountsSignOut: HostFunction {
    .suspending(
      "accounts.sign_out", "Removes an account and its tokens.",
      [
        Parameter("account", .object("account"), "Who is to be signed out."),
        .options(
          [
            Parameter(
              "everywhere", .boolean, optional: true,
              "Revoke the refresh token, where the provider can, and end the session there, by the agent of the sign-in. A "
                + "provider that refuses to revoke the token is a warning."
            )
          ] + AgentChoice.keys.filter { ["agent", "session", "timeout"].contains($0.name) }),
      ],
      returns: [
        .init(
          .boolean, optional: true,
          "With everywhere: whether the session at the provider is known to be over. A browser does not tell.")
      ]
    ) { [self] arguments in
      let object: LuaAccount = try arguments.object(0)
      try demandChange(of: object.account, "sign out", arguments.function.name)
      mayBeSignedOut.insert(object.account.id)
      let isEverywhere = arguments["everywhere"].isTrue ? try await signOutAtProvider(object.account, arguments) : nil
      try await accounts().signOut(object.account)
      luaAccounts[object.account.id] = nil
      return [isEverywhere.map { .boolean($0) } ?? .nil]
    }
  }

  private var onChanged: HostFunction {
    HostFunction(
      "accounts.on_changed", "Calls the function whenever an account was added, updated or removed.",
      [Parameter("f", .callback([Parameter("change", .record(.change), "What happened.")]), "What to call.")],
      returns: [.init(.object("subscription"), "It ends with :close(), as a <close> variable, or with the script.")],
      example: """
        local changes <close> = b2c.accounts.on_changed(function(change)
          print(change.kind, change.account.name, change.reason)
        end)
        b2c.tenant.sign_in()
        """
    ) { [self] arguments in
      guard let function = arguments[0].function else { return [] }
      let subscription = events.onChanged { [self] change in
        _ = try await call(function, [try value(change)], as: "on_changed", change.summary)
      }
      return [.object(LuaSubscription(subscription))]
    }
  }

  private var onFailed: HostFunction {
    HostFunction(
      "accounts.on_failed",
      "Calls the function whenever a sign-in or a refresh failed. It may return sign-in options to "
        + "go on with; those not given stay as they were.",
      [
        Parameter(
          "f",
          .callback(
            [Parameter("failure", .record(.signInFailure), "What failed.")],
            returns: [.init(.options(SignInRequest.keys), optional: true, "What to go on with.")]),
          "What to call.")
      ],
      returns: [.init(.object("subscription"), "It ends with :close(), as a <close> variable, or with the script.")],
      example: """
        b2c.accounts.on_failed(function(failure)
          print(failure.attempt, failure.stage, failure.error.code)
          -- Azure AD B2C's word for "Forgot your password?".
          if failure.error.code == "AADB2C90118" then return { policy = "reset" } end
        end)
        """
    ) { [self] arguments in
      guard let function = arguments[0].function else { return [] }
      let subscription = events.onFailed { [self] failure in
        let answer = try await call(function, [try value(failure)], as: "on_failed", failure.summary)
        return try await options(answer, after: failure)
      }
      return [.object(LuaSubscription(subscription))]
    }
  }
}
