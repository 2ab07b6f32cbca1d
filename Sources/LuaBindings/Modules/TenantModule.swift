import HTTPServer
import HostLoop
import LocalTenant
import Lua
import Secrets

extension ScriptHost {
  var tenantModule: HostModule {
    HostModule(
      "tenant", "The local tenant, with --local.",
      [
        tenantIsRunning, tenantSignIn, tenantFault, tenantAdvance, tenantRotateKeys, tenantConfigure, tenantRequests,
        tenantTasks, tenantOTP,
        tenantOutbox,
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

  private var tenantFault: HostFunction {
    HostFunction(
      "tenant.fault", "Lets the next requests that fit go wrong.",
      [
        .options(
          [
            Parameter("method", .string, optional: true, "Any if not given."),
            Parameter("path", .string, optional: true, "How the path begins, or a pattern with *; any if not given."),
            Parameter("status", .integer, optional: true, "Answer with it, without acting on the request."),
            Parameter(
              "aadb2c", .string, optional: true,
              "Answer with this error of B2C, such as AADB2C90244: at the token endpoint, or as a redirect."),
            Parameter("body", .string, optional: true, "The body that goes with the status."),
            Parameter("headers", .table, optional: true, "Header fields that go with the status, by name."),
            Parameter("times", .integer, optional: true, "How many requests; 1 if not given."),
            Parameter("delay", .number, optional: true, "Seconds until the answer."),
            Parameter(
              "drop", .either([.boolean, .choice(["before", "middle"])]), optional: true,
              "Break the connection: true or \"before\" the answer, or in its \"middle\"."),
          ], required: true)
      ]
    ) { [unowned self] arguments in
      if let times = arguments["times"].integer, times < 1 {
        throw arguments.failure("option 'times': expected at least 1, got \(times)")
      }
      if let delay = arguments["delay"].number, delay < 0 {
        throw arguments.failure("option 'delay': expected zero or more seconds, got \(delay)")
      }
      var fault = TenantFault(
        method: arguments["method"].string, path: arguments["path"].string,
        status: arguments["status"].integer.map { Int($0) }, body: arguments["body"].string,
        headers: try HTTPRequestOptions.fields(arguments, "headers"),
        times: Int(clamping: arguments["times"].integer ?? 1), delay: arguments["delay"].number ?? 0,
        errorCode: arguments["aadb2c"].string)
      if arguments["drop"].isTrue { fault.drop = arguments["drop"].string == "middle" ? .midResponse : .beforeResponse }
      try runningTenant("tenant.fault").addFault(fault)
      return []
    }
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
