package import HTTPClient
package import HostLoop
package import Lua

/// Calls the `on_progress` of a script, one call after the other. Of the progress during a call only the last is kept.
@HostActor
package final class ExchangeProgress {
  /// Gets the progress of an exchange.
  package typealias Listener = @HostActor @Sendable (HTTPProgress) -> Void

  /// The option `on_progress`, which `run` reads.
  package nonisolated static func field<Options>() -> OptionField<Options> { OptionField(declared: option) }

  private nonisolated static let option = Parameter(
    "on_progress", .callback([Parameter("progress", .record(record.record), "The progress.")]), optional: true,
    "Called while the bodies are sent and received. An error in the function ends the request.")

  private nonisolated static let record = ValueRecord<HTTPProgress>(
    "progress of a request", "The sent and received bytes of the bodies of a request and its response.",
    .init("sent", .integer, "The sent bytes of the request's body.") { .integer($0.sent) },
    .init("to_send", .integer, "The size of the request's body.") { .integer($0.toSend) },
    .init("received", .integer, "The received bytes of the response's body.") { .integer($0.received) },
    .init("to_receive", .integer, optional: true, "The size of the response's body, if known.") {
      .integer($0.toReceive)
    })

  private let function: LuaFunction
  /// The call whose exchange it is. The progress comes from libcurl, outside of any task.
  private let caller = HostCall.current
  private var latest: HTTPProgress?
  private var call: Task<Void, Never>?
  private var failure: (any Error)?
  private var end: () -> Void = {}

  private init(_ function: LuaFunction) { self.function = function }

  /// Runs an exchange, and calls the option `on_progress`. `body` gets the listener to pass on, if there is the option.
  package static func run<Answer: Sendable>(
    _ arguments: Arguments, _ body: @escaping @HostActor @Sendable (Listener?) async throws -> Answer
  ) async throws -> Answer {
    guard let function = arguments[option.name].function else { return try await body(nil) }
    let progress = ExchangeProgress(function)
    let exchange = HostActor.task { try await body { progress.tell($0) } }
    progress.end = { exchange.cancel() }
    let result = await withTaskCancellationHandler {
      await exchange.result
    } onCancel: {
      exchange.cancel()
    }
    await progress.lastCall()
    if let failure = progress.failure { throw failure }
    return try result.get()
  }

  private func tell(_ progress: HTTPProgress) {
    latest = progress
    guard call == nil, failure == nil else { return }
    call = Task(executorPreference: HostLoop.shared) { @HostActor @Sendable in
      while let progress = self.latest.take(), self.failure == nil {
        do {
          _ = try await HostCall.$current.withValue(self.caller) {
            try await self.function.call([Self.record.value(progress)])
          }
        } catch {
          self.failure = error
          self.end()
        }
      }
      self.call = nil
    }
  }

  /// Waits for the running call; a cancellation ends it, too.
  private func lastCall() async {
    guard let call else { return }
    await withTaskCancellationHandler {
      await call.value
    } onCancel: {
      call.cancel()
    }
  }
}
