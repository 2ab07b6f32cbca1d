package import HostLoop

/// A handler's place among the subscribers. It lasts until `close()`, also when nobody keeps this object.
@HostActor
package final class Subscription {
  package private(set) var isOpen = true
  private let onClose: @HostActor (Subscription) -> Void

  init(onClose: @escaping @HostActor (Subscription) -> Void) {
    self.onClose = onClose
  }

  /// Ends the subscription, at once, even for an event that is being delivered. Closing twice does nothing.
  package func close() {
    guard isOpen else { return }
    isOpen = false
    onClose(self)
  }
}
