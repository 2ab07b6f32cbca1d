import HostLoop
import JobConditions
import Jobs

/// Looks whether the secrets of webhooks are there: a path without its secret takes no requests.
@HostActor
final class HookSecrets {
  /// The seconds after which the secrets are looked up again.
  private static let pause = 30.0
  private let host: JobHost
  private let receiver: HookReceiver
  private let log: @HostActor (Turn.LogLevel, String) -> Void
  /// True if there is an address for webhooks.
  var takesRequests = false
  private var timer: TimerQueue.ID?
  /// The problems that were told, by the names of the jobs.
  private var told: [String: [String]] = [:]

  init(_ host: JobHost, _ receiver: HookReceiver, log: @escaping @HostActor (Turn.LogLevel, String) -> Void) {
    (self.host, self.receiver, self.log) = (host, receiver, log)
  }

  /// The jobs have been loaded.
  func check() async {
    guard ((try? await host.desk.hooks()) ?? []).isEmpty == false else { return }
    if !takesRequests { log(.warn, "some jobs wait for webhooks, but --hooks names no address") }
    await look()
  }

  /// Somebody looks at the jobs, and has perhaps just set a secret that was missing.
  func checkMissing() async {
    // An answer does not wait for a store that is away or takes no changes.
    if !told.isEmpty, host.condition.isReady { await look() }
  }

  /// Tells of paths that take no requests, and notes it for those who look at their jobs.
  private func look() async {
    if let timer { HostLoop.shared.cancel(timer) }
    timer = nil
    guard !host.isStopping, host.isPlanning else { return }
    do {
      let problems = try await receiver.pathsWithoutSecrets()
      for (job, texts) in problems.sorted(by: { $0.key < $1.key }) {
        for text in texts where told[job]?.contains(text) != true { log(.error, "the job \(job): \(text)") }
      }
      told = problems
      try await host.perform { try await $0.warn(problems) }
    } catch {
      // The next look tells, and so does each request.
      host.noteOutage(error)
    }
    timer = HostLoop.shared.schedule(after: Self.pause) { [weak self] in
      HostActor.task { await self?.look() }
    }
  }
}
