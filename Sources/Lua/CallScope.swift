package import HostLoop

/// Something of a script's that goes on beside the call that started it, and ends with it: a timer.
@HostActor
package protocol Companion: AnyObject, Sendable {
  /// Has it end soon. `isLeft`: the call that started it has succeeded, and nobody has closed it.
  func stop(isLeft: Bool)
  /// Waits until it has ended.
  func ended() async
}

/// The companions of one call of a Lua function, and their errors. No companion outlives the call; an error of one is
/// raised where the call waits, or when it ends.
@HostActor
package final class CallScope: Sendable {
  private var companions: [ObjectIdentifier: any Companion] = [:]
  /// Errors that nobody has got yet.
  private var failures: [(source: ObjectIdentifier, error: LuaError)] = []
  private var wait: Task<[LuaValue], any Error>?

  package func add(_ companion: any Companion) { companions[ObjectIdentifier(companion)] = companion }

  /// The companion has ended. With an error, what the call waits for is canceled, and the error raised there.
  package func remove(_ companion: any Companion, _ error: LuaError? = nil) {
    companions[ObjectIdentifier(companion)] = nil
    guard let error else { return }
    failures.append((ObjectIdentifier(companion), error))
    wait?.cancel()
  }

  /// The error of the companion, if nobody has got it yet; it is the caller's, then.
  package func takeFailure(of companion: any Companion) -> LuaError? {
    let source = ObjectIdentifier(companion)
    return failures.firstIndex { $0.source == source }.map { Self.raisedHere(failures.remove(at: $0).error) }
  }

  /// The same of any of them, the first one first.
  func takeFailure() -> LuaError? { failures.isEmpty ? nil : failures.removeFirst().error }

  /// Awaits what the call waits for, in a task of its own that an error of a companion cancels.
  func outcome(
    of operation: @escaping @HostActor @Sendable () async throws -> [LuaValue]
  ) async -> Result<[LuaValue], any Error> {
    if let failure = takeFailure() { return .failure(Self.raisedHere(failure)) }
    let wait = HostActor.task(operation)
    self.wait = wait
    defer { self.wait = nil }
    let outcome = await withTaskCancellationHandler(operation: { await wait.result }, onCancel: { wait.cancel() })
    // An operation that has succeeded counts; then the error waits for the next operation.
    if case .failure(is CancellationError) = outcome, !Task.isCancelled, let failure = takeFailure() {
      return .failure(Self.raisedHere(failure))
    }
    return outcome
  }

  /// The code that it is raised in is not what has started the companion.
  private static func raisedHere(_ failure: LuaError) -> LuaError {
    var failure = failure
    failure.link = "raised in:"
    return failure
  }

  func end(isFailing: Bool) async {
    for companion in companions.values { companion.stop(isLeft: !isFailing) }
    while let (identity, companion) = companions.first {
      await companion.ended()
      companions[identity] = nil
    }
  }
}

extension LuaState {
  /// That of the call that runs at this moment; nil where none does.
  package var scope: CallScope? {
    guard let current else { return nil }
    current.scope = current.scope ?? CallScope()
    return current.scope
  }
}
