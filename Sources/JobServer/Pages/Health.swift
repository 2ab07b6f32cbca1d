import HTTPServer
import HostLoop
import JobConditions
import Jobs

/// The one answer to whether the server takes what comes, for `/readyz`, the metrics, the pages and the manager of services. It
/// proves from time to time that the store takes changes: a full disk is known before a run or a request needs it.
@HostActor
final class Health {
  /// The seconds for which a proof holds, so that many may ask.
  private static let memory = 1.0
  /// The seconds between two proofs while nobody asks.
  private static let pause = 60.0
  private let host: JobHost
  private var proof: (task: Task<Void, any Error>, until: Double)?

  init(_ host: JobHost) { self.host = host }

  /// Nil for another path. Whoever asks learns nothing else.
  func answer(_ path: String) async -> ServerResponse? {
    switch path {
    case "/healthz": return text("ok")
    case "/readyz":
      let condition = await condition()
      return condition.isReady ? text("ok") : text(condition.name, status: 503)
    default: return nil
    }
  }

  /// The condition of the host, after a proof that its store takes changes.
  func condition() async -> HostCondition {
    switch host.condition {
    case .loading, .away, .ending: break
    case .planning, .standingBy, .standstill: await prove()
    }
    return host.condition
  }

  private func prove() async {
    if let proof, proof.until > HostLoop.uptime {
      _ = await proof.task.result
      return
    }
    let task = HostActor.task { [host] in await host.prove() }
    proof = (task, HostLoop.uptime + Self.memory)
    _ = await task.result
  }

  /// Proves from now on.
  func watch() {
    guard !host.isStopping else { return }
    _ = HostLoop.shared.schedule(after: Self.pause) {
      HostActor.task { _ = await self.condition() }
      self.watch()
    }
  }

  private func text(_ text: String, status: Int = 200) -> ServerResponse {
    ServerResponse(
      status: status,
      headers: [("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")]
        + (status == 503 ? [("Retry-After", "10")] : []), text: text + "\n", type: "text/plain; charset=utf-8")
  }
}
