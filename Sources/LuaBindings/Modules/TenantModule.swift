import Core
import HostLoop
import LocalTenant
import Lua

extension ScriptHost {
  var tenantModule: HostModule {
    HostModule(
      "tenant", "The local tenant, with --local.", notes: "[LocalTenant](LocalTenant.md) tells what it knows and can do.",
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
        tenantIsRunning, tenantSignIn, tenantFault, tenantClearFaults, tenantAdvance, tenantRotateKeys, tenantConfigure,
        tenantRequests, tenantTotals, tenantTasks, tenantOTP, tenantOutbox,
      ],
      fields: [
        Parameter("url", .string, "Where it is."),
        Parameter("applications", .record(.applications), "What a client may sign in as."),
      ], modules: [tenantUsers]
    ) { [unowned self] name, _ in
      switch name {
      case "url": .string(try runningTenant("tenant.url").url)
      case "applications": tenantApplications
      default: .nil
      }
    }
  }

  func runningTenant(_ name: String) throws -> LocalTenant {
    guard let tenant else {
      throw LuaError(code: "no_tenant", message: "\(name): there is no local tenant", hint: "run with --local")
    }
    return tenant
  }

  private var tenantAdvance: HostFunction {
    HostFunction(
      "tenant.advance", "Lets time pass at the tenant: what it has issued grows older.",
      [Parameter("seconds", .integer, "How much time.")]
    ) { [unowned self] arguments in
      try runningTenant("tenant.advance").advance(seconds: Int(clamping: arguments[0].integer ?? 0))
      return []
    }
  }

  private var tenantRotateKeys: HostFunction {
    HostFunction("tenant.rotate_keys", "The tenant signs with a new key from now on.") { [unowned self] _ in
      try runningTenant("tenant.rotate_keys").rotateKeys()
      return []
    }
  }

  private var tenantRequests: HostFunction {
    HostFunction(
      "tenant.requests", "What the tenant saw.",
      returns: [.init(.list(of: .record(.tenantRequest)), "The requests, oldest first.")]
    ) { [unowned self] _ in
      let requests = try runningTenant("tenant.requests").requests()
      return [
        .list(
          requests.map {
            .record([("method", .string($0.method)), ("path", .string($0.path)), ("status", .integer($0.status))])
          })
      ]
    }
  }

  private var tenantTotals: HostFunction {
    HostFunction(
      "tenant.totals", "How much has happened at the tenant.",
      returns: [.init(.record(.tenantTotals), "The counts.")]
    ) { [unowned self] _ in
      let (requests, faults, tasks) = try runningTenant("tenant.totals").totals()
      return [.record([("requests", .integer(requests)), ("faults", .integer(faults)), ("tasks", .integer(tasks))])]
    }
  }

  private var tenantTasks: HostFunction {
    HostFunction(
      "tenant.tasks", "A user's tasks, as the tenant has them.", [Parameter("username", .string, "Whose.")],
      returns: [.init(.list(of: .record(.task)), "The tasks, without raw.")]
    ) { [unowned self] arguments in
      let tasks = try runningTenant("tenant.tasks").tasks(of: arguments.string(0))
      return [
        .list(
          tasks.map {
            .record([
              ("id", .integer($0.id)), ("text", .string($0.text)), ("owner", .string($0.owner)),
              ("completed", .boolean($0.isCompleted)), ("date", .string($0.modified)),
            ])
          })
      ]
    }
  }
}
