import Core
import HostLoop
import LocalTenant
import Lua

/// The functions that tell what happened at the tenant.
extension TenantModule {
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
  static let tenantTotals = LuaRecord(
    "tenant totals", "The counts of the tenant.",
    Parameter("requests", .integer, "The number of requests."),
    Parameter("faults", .integer, "The number of requests with a fault."),
    Parameter("tasks", .integer, "The number of tasks."))

  static let application = LuaRecord(
    "application", "An application that is registered with the tenant.",
    Parameter("client_id", .string, "The client ID."),
    Parameter("client_secret", .object("secret"), optional: true, "The client secret, if the application has one."),
    Parameter("name", .string, "The name."))

  static let applications = LuaRecord(
    "pair of applications", "The applications that are registered with the tenant.",
    Parameter(
      "native", .record(application), "A public client: an application on the user's machine, without a client secret."),
    Parameter("web", .record(application), "A confidential client: an application on a server, with a client secret."))
}
