import LocalTenant
import Lua

/// What the local tenant tells of itself.
extension LuaRecord {
  static let tenantRequest = LuaRecord(
    "tenant request", "A request that the tenant saw.",
    [
      Parameter("method", .string, "Such as GET."), Parameter("path", .string, "The path of its URL."),
      Parameter("status", .integer, "What it was answered with."),
    ])

  static let tenantTotals = LuaRecord(
    "tenant totals", "How much has happened at the tenant.",
    [
      Parameter("requests", .integer, "How many requests it saw."),
      Parameter("faults", .integer, "How many a fault happened to."),
      Parameter("tasks", .integer, "How many tasks there are."),
    ])

  static let tenantMessage = LuaRecord(
    "tenant message", "A message that the tenant would have sent.",
    [
      Parameter("to", .string, "A telephone number, or an address."),
      Parameter("username", .string, "The user it is for."),
      Parameter("code", .string, "The code in it."), Parameter("text", .string, "What it says."),
      Parameter("time", .string, "When it was sent."), Parameter("kind", .string, "How it was sent."),
    ])

  static let application = LuaRecord(
    "application", "An application that is registered with the tenant.",
    [
      Parameter("client_id", .string, "Its client ID."),
      Parameter("client_secret", .object("secret"), optional: true, "Its client secret, if it has one."),
      Parameter("name", .string, "Its name."),
    ])

  static let applications = LuaRecord(
    "pair of applications", "The applications that are registered with the tenant.",
    [
      Parameter("native", .record(application), "One on its user's machine, without a client secret."),
      Parameter("web", .record(application), "One on a server, with a client secret."),
    ])
}
