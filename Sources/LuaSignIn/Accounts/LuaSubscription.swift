import Accounts
import HostLoop
package import Lua
import LuaKit

/// The result of `accounts.on_changed` and `accounts.on_failed`. It lasts until it is closed or the host ends: letting go
/// of it does not end it.
package final class LuaSubscription: LuaObject {
  private let subscription: Subscription

  init(_ subscription: Subscription) { self.subscription = subscription }

  package static let luaType = HostType(
    "subscription", "A handler that is called until the subscription is closed.",
    methods: [
      method("subscription:close", "Ends the subscription.") { object, _ in
        object.subscription.close()
        return []
      }
    ], close: { ($0 as? LuaSubscription)?.subscription.close() },
    describe: { ($0 as? LuaSubscription)?.subscription.isOpen == true ? "subscription" : "subscription (closed)" })
}
