import Synchronization

/// Registry slots whose last Swift reference is gone, collected from any thread and freed by the state when it is safe.
final class ReleasedReferences: Sendable {
  private let indices = Mutex<[Int32]>([])

  func add(_ index: Int32) { indices.withLock { $0.append(index) } }

  func takeAll() -> [Int32] {
    indices.withLock { indices in
      defer { indices.removeAll(keepingCapacity: true) }
      return indices.isEmpty ? [] : indices
    }
  }
}
