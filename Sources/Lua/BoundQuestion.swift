import HostLoop

/// A host function that takes nothing and answers yes or no, in one Lua state: the cheapest call there is, with nothing
/// allocated and no reference counted.
final class BoundQuestion {
  private let body: () -> Bool

  init(_ body: @escaping @HostActor @Sendable () -> Bool) {
    // Only `ask` calls it, which C calls on the loop's thread: the isolation it drops here is a fact there. The structs
    // keep the compiler from putting a thunk around the function, as it would around a function cast by itself.
    self.body = unsafeBitCast(Isolated(body: body), to: Plain.self).body
  }

  private struct Isolated { let body: @HostActor @Sendable () -> Bool }
  private struct Plain { let body: () -> Bool }

  static func ask(_ pointer: UnsafeMutableRawPointer?) -> Bool {
    Unmanaged<BoundQuestion>.fromOpaque(pointer!)._withUnsafeGuaranteedRef { $0.body() }
  }
}
