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
      notes: "[LocalTenant](LocalTenant.md) describes the tenant and its abilities.",
      example: """
        local b2c = require "b2c"
        local tenant = b2c.tenant

        tenant.users.add { username = "eva", password = "Chamomile-7" }
        tenant.fault { path = "/api/tasks", status = 503, times = 1 }

        b2c.accounts.sign_in { agent = "headless", username = "eva", password = "Chamomile-7" }
        print(pcall(b2c.tasks.add, "Water the plants"))
        b2c.tasks.add "Water the plants"
        for _, request in ipairs(tenant.requests()) do print(request.method, request.path, request.status) end
        """,
      [
        .question("tenant.is_running", "Tells whether there is a local tenant.") { [tenant] in tenant != nil },
        signIn,
        action("tenant.fault", "Makes the next matching requests fail.", [.options(Self.faultKeys, required: true)]) {
          try $0.addFault(Self.fault($1))
        },
        action("tenant.clear_faults", "Removes the faults that have not happened.") { tenant, _ in
          try tenant.clearFaults()
        },
        action(
          "tenant.advance", "Moves the tenant's clock forward: issued tokens and codes grow older.",
          [Parameter("seconds", .integer, "The time.")]
        ) { try $0.advance(seconds: Int(clamping: $1[0].integer ?? 0)) },
        action("tenant.rotate_keys", "Makes the tenant sign with a new key from now on.") { tenant, _ in
          try tenant.rotateKeys()
        },
        configure, requests, totals, tasks,
        function(
          "tenant.otp", "The code that the user's authenticator app shows now.",
          [Parameter("username", .string, "The user.")],
          returns: [.init(.string, "Six digits, good for one sign-in.")]
        ) { [.string(try $0.otpCode(of: $1.string(0)))] },
        outbox,
      ],
      fields: [
        Parameter("url", .string, "The address of the tenant."),
        Parameter("applications", .record(.applications), "The registered applications."),
      ], modules: [users]
    ) { name, _ in
      switch name {
      case "url": .string(try running("tenant.url").url)
      case "applications": Self.applications
      default: .nil
      }
    }
  }

  func running(_ name: String) throws -> LocalTenant {
    guard let tenant else {
      throw LuaError(code: "no_tenant", message: "\(name): there is no local tenant", hint: "run with --local")
    }
    return tenant
  }

  /// A function that needs the tenant.
  func function(
    _ name: String, _ doc: String, _ parameters: [Parameter] = [], returns results: [HostFunction.Result] = [],
    _ body: @escaping @HostActor @Sendable (LocalTenant, Arguments) throws -> [LuaValue]
  ) -> HostFunction {
    HostFunction(name, doc, parameters, returns: results) { try body(running(name), $0) }
  }

  /// A function that needs the tenant and returns nothing.
  func action(
    _ name: String, _ doc: String, _ parameters: [Parameter] = [],
    _ body: @escaping @HostActor @Sendable (LocalTenant, Arguments) throws -> Void
  ) -> HostFunction {
    function(name, doc, parameters) { tenant, arguments in
      try body(tenant, arguments)
      return []
    }
  }
}
