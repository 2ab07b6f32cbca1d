package import Glibc

/// Threads of the system for work that blocks: Swift's pool has few threads, and the host has one.
package enum SystemThread {
  private final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on a new thread. Returns the thread; nil if the system has none left. `isDetached` is false for a
  /// thread that the caller joins; `stackSize` is nil for the system's usual size.
  @discardableResult
  package static func start(
    isDetached: Bool = true, stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void
  ) -> pthread_t? {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    if let stackSize { pthread_attr_setstacksize(&attributes, stackSize) }
    if isDetached { pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED)) }
    let box = Unmanaged.passRetained(Box(body))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, &attributes,
      { context in
        if let context { Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body() }
        return nil
      }, box.toOpaque())
    if result == 0 { return thread }
    box.release()
    return nil
  }
}
