import HostLoop

/// The work of the next turn, and the time at which the turn comes.
@HostActor
struct TurnQueue {
  /// Something that the next turn works on.
  struct Input {
    /// Returns what is done after the transaction.
    let work: @HostActor (inout Turn) async throws -> (@HostActor () -> Void)?
    /// True for news that the next turn has to hear of if the store refuses this one. Whoever asks for something hears of
    /// the refusal at once.
    var isNews = false
    let failed: @HostActor (any Error) -> Void
  }

  var inputs: [Input] = []
  /// True if another turn follows at once.
  var isSoon = false
  /// True while a turn goes on.
  var isTurning = false
  /// Makes a turn; nil for a host whose turns others make.
  var makeTurn: (@HostActor () async -> Void)?
  private var timer: TimerQueue.ID?

  /// Makes a turn after so many seconds, in place of an earlier plan.
  mutating func plan(after seconds: Double) {
    guard let makeTurn else { return }
    cancel()
    timer = HostLoop.shared.schedule(after: seconds) { HostActor.task { await makeTurn() } }
  }

  mutating func cancel() {
    if let timer { HostLoop.shared.cancel(timer) }
    timer = nil
  }

  /// A turn with these first inputs has failed. News waits for the next one; whoever asked for something gets the error.
  mutating func fail(_ taken: [Input], _ error: any Error) {
    inputs = taken.filter(\.isNews) + inputs.dropFirst(taken.count)
    for input in taken where !input.isNews { input.failed(error) }
  }

  /// No turn comes: whoever asked for something gets the error, and nobody needs the news.
  mutating func end(_ error: JobError) {
    cancel()
    let left = inputs
    inputs = []
    for input in left where !input.isNews { input.failed(error) }
  }
}
