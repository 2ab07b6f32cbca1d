import Accounts
import HostLoop
import Lua

/// The result of `accounts.on_changed` and `accounts.on_failed`. It lasts until it is closed or the host ends: letting go
/// of it does not end it.
@HostActor
final class LuaSubscription: LuaObject {
  private let subscription: Subscription

  init(_ subscription: Subscription) { self.subscription = subscription }

  static let luaType = HostType(
    "subscription", "A handler that is called until the subscription is closed.",
    methods: [
      HostFunction("subscription:close", "Ends it.", [Parameter("self", .object("subscription"))]) { arguments in
        let object: LuaSubscription = try arguments.object(0)
        object.subscription.close()
        return []
      }
    ], close: { ($0 as? LuaSubscription)?.subscription.close() },
    describe: { object in
      (object as? LuaSubscription)?.subscription.isOpen == true ? "subscription" : "subscription (closed)"
    })
}
