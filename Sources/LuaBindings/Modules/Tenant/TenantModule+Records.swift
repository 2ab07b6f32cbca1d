import Core
import HostLoop
import LocalTenant
import Lua

/// The functions that tell what happened at the tenant.
extension TenantModule {
  var requests: HostFunction {
    function(
      "tenant.requests", "The requests that the tenant saw.",
      returns: [.init(.list(of: .record(.tenantRequest)), "The requests, oldest first.")]
    ) { tenant, _ in
      let requests = try tenant.requests().map { request in
        LuaValue.record([
          ("method", .string(request.method)), ("path", .string(request.path)), ("status", .integer(request.status)),
        ])
      }
      return [.list(requests)]
    }
  }

  var totals: HostFunction {
    function(
      "tenant.totals", "The number of requests, faults and tasks at the tenant.",
      returns: [.init(.record(.tenantTotals), "The counts.")]
    ) { tenant, _ in
      let (requests, faults, tasks) = try tenant.totals()
      return [.record([("requests", .integer(requests)), ("faults", .integer(faults)), ("tasks", .integer(tasks))])]
    }
  }

  var tasks: HostFunction {
    function(
      "tenant.tasks", "A user's tasks, as the tenant has them.", [Parameter("username", .string, "The user.")],
      returns: [.init(.list(of: .record(.task)), "The tasks, without raw.")]
    ) { tenant, arguments in
      let tasks = try tenant.tasks(of: arguments.string(0)).map { task in
        LuaValue.record([
          ("id", .integer(task.id)), ("text", .string(task.text)), ("owner", .string(task.owner)),
          ("completed", .boolean(task.isCompleted)), ("date", .string(task.modified)),
        ])
      }
      return [.list(tasks)]
    }
  }

  var outbox: HostFunction {
    function(
      "tenant.outbox", "The messages that the tenant would have sent: codes by SMS and mail.",
      returns: [.init(.list(of: .record(.tenantMessage)), "The messages, newest last.")]
    ) { tenant, _ in
      let messages = try tenant.outbox().map { message in
        LuaValue.record([
          ("to", .string(message.to)), ("username", .string(message.username)), ("code", .string(message.code)),
          ("text", .string(message.text)), ("time", .string(message.time)), ("kind", .string(message.kind.rawValue)),
        ])
      }
      return [.list(messages)]
    }
  }

  /// `tenant.applications`
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
  static let tenantRequest = LuaRecord(
    "tenant request", "A request that the tenant saw.",
    [
      Parameter("method", .string, "The method, such as GET."), Parameter("path", .string, "The path of its URL."),
      Parameter("status", .integer, "The status of the response."),
    ])

  static let tenantTotals = LuaRecord(
    "tenant totals", "The counts of the tenant.",
    [
      Parameter("requests", .integer, "The number of requests."),
      Parameter("faults", .integer, "The number of requests that a fault happened to."),
      Parameter("tasks", .integer, "The number of tasks."),
    ])

  static let tenantMessage = LuaRecord(
    "tenant message", "A message that the tenant would have sent.",
    [
      Parameter("to", .string, "A telephone number, or an address."),
      Parameter("username", .string, "The user."),
      Parameter("code", .string, "The code in the message."), Parameter("text", .string, "The text of the message."),
      Parameter("time", .string, "The time of sending."), Parameter("kind", .string, "The kind: SMS or mail."),
    ])

  static let application = LuaRecord(
    "application", "An application that is registered with the tenant.",
    [
      Parameter("client_id", .string, "The client ID."),
      Parameter("client_secret", .object("secret"), optional: true, "The client secret, if it has one."),
      Parameter("name", .string, "The name."),
    ])

  static let applications = LuaRecord(
    "pair of applications", "The applications that are registered with the tenant.",
    [
      Parameter("native", .record(application), "An application on its user's machine, without a client secret."),
      Parameter("web", .record(application), "An application on a server, with a client secret."),
    ])
}
