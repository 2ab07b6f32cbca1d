import LocalTenant
import Lua
import LuaKit

/// Questions to users on another device, and wrong answers about tokens.
extension TenantModule {
  static let approve = answer("tenant.approve", "Agrees to a backchannel request (CIBA) in place of the user.", true)
  static let deny = answer("tenant.deny", "Refuses a backchannel request (CIBA) in place of the user.", false)

  private static func answer(_ name: String, _ doc: String, _ agrees: Bool) -> ModuleFunction<Self> {
    query(
      name, "\(doc) It answers the oldest request that waits, or else the next one.",
      Parameter("username", .string, "The user."), returns: .init(.boolean, "False if no request waited.")
    ) { [.boolean(try $0.answerBackchannel($1.string(0), agrees: agrees))] }
  }
}
