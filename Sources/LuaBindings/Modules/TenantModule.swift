import HostLoop
import LocalTenant
import Lua
import Secrets

extension ScriptHost {
  var tenantModule: HostModule {
    HostModule(
      "tenant", "The local tenant, with --local.",
      [
        tenantIsRunning, tenantSignIn, tenantFault, tenantClearFaults, tenantAdvance, tenantRotateKeys, tenantConfigure,
        tenantRequests, tenantTotals, tenantTasks, tenantOTP, tenantOutbox,
      ],
      fieldNames: ["url", "users", "applications"]
    ) { [unowned self] name, state in
      switch name {
      case "url": .string(try runningTenant("tenant.url").url)
      case "users": .table(tenantUsers(state))
      case "applications": tenantApplications(state)
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
      [Parameter("seconds", .integer)]
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
      returns: [.init(.table, "A list of { method, path, status }, oldest first.")]
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
      returns: [
        .init(.table, "{ requests, faults, tasks }: how many it saw, how many a fault happened to, how many there are.")
      ]
    ) { [unowned self] _ in
      let (requests, faults, tasks) = try runningTenant("tenant.totals").totals()
      return [.record([("requests", .integer(requests)), ("faults", .integer(faults)), ("tasks", .integer(tasks))])]
    }
  }

  private var tenantTasks: HostFunction {
    HostFunction(
      "tenant.tasks", "A user's tasks, as the tenant has them.", [Parameter("username", .string)],
      returns: [.init(.table, "A list of { id, text, owner, completed, date }.")]
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
