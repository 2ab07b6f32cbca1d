import Automation
import Core
import HostLoop
import LocalTenant
import Lua
import LuaKit
import LuaSignIn
import LuaTasks

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
        """, keptFunctions(Self.functions),
      fields: [
        Parameter("url", .string, "The address of the tenant."),
        Parameter("applications", .record(.applications), "The registered applications."),
      ],
      modules: [HostModule("tenant.users", "The tenant's users.", keptFunctions([Self.addUser, Self.removeUser]))]
    ) { name, _ in
      switch name {
      case "url": .string(try running("tenant.url").url)
      case "applications": Self.applications
      default: .nil
      }
    }
  }

  /// The functions of a host that is kept or replayed keep their results: nobody is there in a replay. Two act on the run itself.
  private func keptFunctions(_ functions: [ModuleFunction<Self>]) -> [HostFunction] {
    let made = functions.map { $0.of(self) }
    guard let tape = CurrentTape.value, tenant != nil else { return made }
    return made.map { ["tenant.sign_in", "tenant.configure"].contains($0.name) ? $0 : $0.kept(by: tape) }
  }

  static let functions: [ModuleFunction<Self>] = [
    ModuleFunction { module in
      .question("tenant.is_running", "Tells whether there is a local tenant.") { module.tenant != nil }
    },
    signIn,
    action("tenant.fault", "Makes the next matching requests fail.", .options(FaultOptions.keys, required: true)) {
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
    configure, require, requests, totals, tasks,
    query(
      "tenant.otp", "The code that the user's authenticator app shows now.",
      Parameter("username", .string, "The user."), returns: .init(.string, "Six digits, valid for one sign-in.")
    ) { [.string(try $0.otpCode(of: $1.string(0)))] },
    outbox, addApplication, approve, deny, requireStepUp,
  ]

  func running(_ name: String) throws -> LocalTenant {
    guard let tenant else {
      throw LuaError(
        code: "no_tenant", message: "\(name): there is no local tenant",
        hint: "run the script with --local; a run of serve signs in with accounts.sign_in { agent = \"headless\", … }")
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
    .options(UserOptions.keys, required: true)
  ) { tenant, arguments in
    let options = try UserOptions(arguments)
    try tenant.addUser(
      username: options.username, password: options.password.reveal(), displayName: options.displayName,
      email: options.email, otp: options.otp?.reveal(), phone: options.phone)
  }

  private struct UserOptions: LuaOptions {
    var username = ""
    var password = Secret(given: "")
    var displayName: String?
    var email: String?
    var otp: Secret?
    var phone: String?

    static let fields: [Field] = [
      .init(required: "username", \.username, "An email address, or a name."),
      .init(required: "password", \.password, "The password, at least eight characters."),
      .init(
        "display_name", \.displayName, "The name that pages and tokens show; the user name if not given."),
      .init("email", \.email, "The email address; an address at contoso.example if not given."),
      .init(
        "otp", \.otp,
        "The secret of an authenticator app, in Base32. Every policy with pages then asks this user for a code."),
      .init("phone", \.phone, "The telephone number for the codes of the policy mfa, such as +15550100."),
    ]
  }

  static let removeUser = action(
    "tenant.users.remove", "Removes a user, and the user's tasks.", Parameter("username", .string, "The user.")
  ) { try $0.removeUser($1.string(0)) }

  static let signIn = suspending(
    "tenant.sign_in",
    "Signs in alice or bob without a page. Without a user name, the function returns the current account, if "
      + "this account belongs to the tenant or --account names it. It refuses to sign in into a database of --store.",
    .optional("username", .string, "alice or bob. If not given: the current account, or else alice."),
    returns: .init(.object("account"), "The account.")
  ) { module, arguments in
    _ = try module.running("tenant.sign_in")
    let wanted = arguments[0].string
    if wanted == nil {
      var isWanted = module.host.configuration.session.accountName != nil
      if !isWanted { isWanted = await module.hasAccountHere() }
      if isWanted, let account = try await module.host.accounts.current() { return [.object(account)] }
    }
    let users = LocalTenant.seededUsers
    guard let user = wanted == nil ? users.first : users.first(where: { $0.username == wanted }) else {
      let known = users.map(\.username)
      throw arguments.failure(
        "argument 1: expected one of \(known.joined(separator: ", ")), got \"\(wanted ?? "")\"",
        hint: nearestName(to: wanted ?? "", in: known).map { "did you mean '\($0)'?" })
    }
    if let place = try module.host.session.accounts.sharedPlace() {
      throw arguments.failure(
        "with --local, nobody is signed in into \(place), which other machines use",
        hint: "leave --store out, or name a folder with --store FOLDER")
    }
    let options = arguments.state.makeTable()
    options["agent"] = .string("headless")
    options["username"] = .string(user.username)
    options["password"] = .secret(Secret(given: user.password))
    let accounts = AccountsModule(module.host.signIns)
    let account = try await accounts.signIn(
      Arguments(options: options, of: AccountsModule.signInFunction.of(accounts), arguments.state))
    module.host.console.log(.info, "signed in as \(user.username), a user of the local tenant")
    return [.object(account)]
  }

  /// True if the current account belongs to this run's tenant, not to another tenant that used the same store.
  private func hasAccountHere() async -> Bool {
    guard let account = try? await host.accounts.current()?.account else { return false }
    return host.session.accounts.obstacleToTokens(of: account) == nil
  }

  static let requests = query(
    "tenant.requests", "The requests that the tenant saw.",
    returns: .init(.list(of: .record(request.record)), "The requests, oldest first.")
  ) { tenant, _ in [.list(try tenant.requests().map(request.value))] }

  static let totals = query(
    "tenant.totals", "The number of requests, faults and tasks at the tenant.",
    returns: .init(.record(.tenantTotals), "The counts.")
  ) { tenant, _ in
    let (requests, faults, tasks) = try tenant.totals()
    return [.record([("requests", .integer(requests)), ("faults", .integer(faults)), ("tasks", .integer(tasks))])]
  }

  static let tasks = query(
    "tenant.tasks", "The tasks of a user at the tenant.", Parameter("username", .string, "The user."),
    returns: .init(.list(of: .record(.task)), "The tasks, without raw.")
  ) { tenant, arguments in
    let tasks = try tenant.tasks(of: arguments.string(0)).map { task in
      LuaValue.record([
        ("id", .integer(task.id)), ("text", .string(task.text)), ("owner", .string(task.owner)),
        ("completed", .boolean(task.isCompleted)), ("date", .string(task.modified)),
      ])
    }
    return [.list(tasks)]
  }

  static let outbox = query(
    "tenant.outbox", "The messages that the tenant would have sent: codes by SMS and mail.",
    returns: .init(.list(of: .record(message.record)), "The messages, newest last.")
  ) { tenant, _ in [.list(try tenant.outbox().map(message.value))] }

  private static let request = ValueRecord<TenantRequest>(
    "tenant request", "A request that the tenant saw.",
    .init("method", .string, "The method, such as GET.") { .string($0.method) },
    .init("path", .string, "The path of its URL.") { .string($0.path) },
    .init("status", .integer, "The status of the response.") { .integer($0.status) })

  private static let message = ValueRecord<TenantMessage>(
    "tenant message", "A message that the tenant would have sent.",
    .init("to", .string, "A telephone number, or an address.") { .string($0.to) },
    .init("username", .string, "The user.") { .string($0.username) },
    .init("code", .string, "The code in the message.") { .string($0.code) },
    .init("text", .string, "The text of the message.") { .string($0.text) },
    .init("time", .string, "The time of sending.") { .string($0.time) },
    .init("kind", .string, "The kind: SMS or mail.") { .string($0.kind.rawValue) })

  static var applications: LuaValue {
    let applications = [("native", LocalTenant.nativeApplication), ("web", LocalTenant.webApplication)]
    return .record(
      applications.map { name, application in
        (
          name,
          .record([
            ("client_id", .string(application.id)), ("client_secret", .secret(application.secret.map { Secret($0) })),
            ("name", .string(application.name)),
          ])
        )
      })
  }
}

extension LuaRecord {
  static let tenantTotals = LuaRecord(
    "tenant totals", "The counts of the tenant.",
    Parameter("requests", .integer, "The number of requests."),
    Parameter("faults", .integer, "The number of requests with a fault."),
    Parameter("tasks", .integer, "The number of tasks."))

  static let application = LuaRecord(
    "application", "An application that is registered with the tenant.",
    Parameter("client_id", .string, "The client ID."),
    .optional("client_secret", .object("secret"), "The client secret, if the application has one."),
    Parameter("name", .string, "The name."))

  static let applications = LuaRecord(
    "pair of applications", "The applications that are registered with the tenant.",
    Parameter(
      "native", .record(application), "A public client: an application on the user's machine, without a client secret."),
    Parameter("web", .record(application), "A confidential client: an application on a server, with a client secret."))
}
