import Automation
import Core
import HostLoop
import LocalTenant
import Lua

/// `b2c.tenant`
struct TenantModule: LuaModule {
  let tenant: LocalTenant?
  /// Signs users in.
  unowned let host: ScriptHost

  var module: HostModule {
    HostModule(
      "tenant", "The local tenant, with --local.",
      notes: "The page [The local tenant](LocalTenant.md) describes the tenant.",
      example: """
        local b2c = require "b2c"
        local tenant = b2c.tenant

        tenant.users.add { username = "eva", password = "Chamomile-7" }
        tenant.fault { path = "/api/tasks", status = 503, times = 1 }

        b2c.accounts.sign_in { agent = "headless", username = "eva", password = "Chamomile-7" }
        print(pcall(b2c.tasks.add, "Water the plants"))
        b2c.tasks.add "Water the plants"
        for _, request in ipairs(tenant.requests()) do print(request.method, request.path, request.status) end
        """, functions,
      fields: [
        Parameter("url", .string, "The address of the tenant."),
        Parameter("applications", .record(.applications), "The registered applications."),
      ],
      modules: [HostModule("tenant.users", "The tenant's users.", [Self.addUser, Self.removeUser].map { $0.of(self) })]
    ) { name, _ in
      switch name {
      case "url": .string(try running("tenant.url").url)
      case "applications": Self.applications
      default: .nil
      }
    }
  }

  static let functions: [ModuleFunction<Self>] = [
    ModuleFunction { module in
      .question("tenant.is_running", "Tells whether there is a local tenant.") { module.tenant != nil }
    },
    signIn,
    action("tenant.fault", "Makes the next matching requests fail.", .options(faultKeys, required: true)) {
      try $0.addFault(fault($1))
    },
    action("tenant.clear_faults", "Removes the faults that have not happened.") { tenant, _ in try tenant.clearFaults()
    },
    action(
      "tenant.advance", "Moves the tenant's clock forward: issued tokens and codes grow older.",
      Parameter("seconds", .integer, "The time.")
    ) { try $0.advance(seconds: Int(clamping: $1[0].integer ?? 0)) },
    action("tenant.rotate_keys", "Makes the tenant sign with a new key from now on.") { tenant, _ in
      try tenant.rotateKeys()
    },
    configure, requests, totals, tasks,
    query(
      "tenant.otp", "The code that the user's authenticator app shows now.",
      Parameter("username", .string, "The user."), returns: .init(.string, "Six digits, valid for one sign-in.")
    ) { [.string(try $0.otpCode(of: $1.string(0)))] },
    outbox,
  ]

  func running(_ name: String) throws -> LocalTenant {
    guard let tenant else {
      throw LuaError(code: "no_tenant", message: "\(name): there is no local tenant", hint: "run with --local")
    }
    return tenant
  }

  /// A function that needs the tenant.
  static func query(
    _ name: String, _ doc: String, _ parameters: Parameter..., returns results: HostFunction.Result...,
    body: @escaping @HostActor @Sendable (LocalTenant, Arguments) throws -> [LuaValue]
  ) -> ModuleFunction<Self> {
    ModuleFunction { module in
      HostFunction(name, doc, parameters, returns: results) { try body(module.running(name), $0) }
    }
  }

  /// A function that needs the tenant and returns nothing.
  static func action(
    _ name: String, _ doc: String, _ parameters: Parameter...,
    body: @escaping @HostActor @Sendable (LocalTenant, Arguments) throws -> Void
  ) -> ModuleFunction<Self> {
    ModuleFunction { module in
      HostFunction(name, doc, parameters) { arguments in
        try body(module.running(name), arguments)
        return []
      }
    }
  }

  static let addUser = action(
    "tenant.users.add", "Adds a user.",
    .options(
      [
        Parameter("username", .string, "An email address, or a name."),
        Parameter("password", .secret, "The password, at least eight characters."),
        Parameter(
          "display_name", .string, optional: true, "The name that pages and tokens show; the user name if not given."),
        Parameter("email", .string, optional: true, "The email address; an address at contoso.example if not given."),
        Parameter(
          "otp", .secret, optional: true,
          "The secret of an authenticator app, in Base32. Every policy with pages then asks this user for a "
            + "code."),
        Parameter(
          "phone", .string, optional: true, "The telephone number for the codes of the policy mfa, such as +15550100."),
      ], required: true)
  ) { tenant, arguments in
    try tenant.addUser(
      username: arguments["username"].string ?? "", password: arguments["password"].asSecret?.reveal() ?? "",
      displayName: arguments["display_name"].string, email: arguments["email"].string,
      otp: arguments["otp"].asSecret?.reveal(), phone: arguments["phone"].string)
  }

  static let removeUser = action(
    "tenant.users.remove", "Removes a user, and the user's tasks.", Parameter("username", .string, "The user.")
  ) { try $0.removeUser($1.string(0)) }

  static let signIn = suspending(
    "tenant.sign_in",
    "Signs in alice or bob without a page. Without a user name, the function returns the current account, if "
      + "this account belongs to the tenant or --account names it.",
    Parameter(
      "username", .string, optional: true, "alice or bob. If not given: the current account, or else alice."),
    returns: .init(.object("account"), "The account.")
  ) { module, arguments in
    _ = try module.running("tenant.sign_in")
    let wanted = arguments[0].string
    if wanted == nil, module.host.configuration.accountName != nil || module.hasAccountHere,
      let account = try module.host.currentAccount()
    {
      return [.object(account)]
    }
    let users = LocalTenant.seededUsers
    guard let user = wanted == nil ? users.first : users.first(where: { $0.username == wanted }) else {
      let known = users.map(\.username)
      throw arguments.failure(
        "argument 1: expected one of \(known.joined(separator: ", ")), got \"\(wanted ?? "")\"",
        hint: nearestName(to: wanted ?? "", in: known).map { "did you mean '\($0)'?" })
    }
    let options = arguments.state.makeTable()
    options["agent"] = .string("headless")
    options["username"] = .string(user.username)
    options["password"] = .secret(Secret(given: user.password))
    let accounts = AccountsModule(host: module.host)
    let account = try await accounts.signIn(
      Arguments(options: options, of: AccountsModule.signInFunction.of(accounts), arguments.state))
    module.host.console.log(.info, "signed in as \(user.username), a user of the local tenant")
    return [.object(account)]
  }

  /// True if the current account belongs to this run's tenant, not to another tenant that used the same store.
  private var hasAccountHere: Bool {
    guard let account = try? host.currentAccount()?.account else { return false }
    return host.obstacleToTokens(of: account) == nil
  }
}
