import HTTPServer
import HostLoop
import JobConditions
import Jobs

/// The answers to those who watch the server: `/healthz`, whether it turns, and `/readyz`, whether it takes what comes.
@HostActor
final class Health {
  /// The seconds for which a proof holds, so that many may ask.
  private static let memory = 1.0
  private let host: JobHost
  private var proof: (task: Task<Bool, any Error>, until: Double)?

  init(_ host: JobHost) { self.host = host }

  /// Nil for another path. Whoever asks learns nothing else.
  func answer(_ path: String) async -> ServerResponse? {
    switch path {
    case "/healthz": return text("ok")
    case "/readyz":
      guard host.condition.isReady else { return text(host.condition.name, status: 503) }
      guard await takesChanges() else { return text("the store takes no changes", status: 503) }
      return text("ok")
    default: return nil
    }
  }

  private func takesChanges() async -> Bool {
    if let proof, proof.until > HostLoop.uptime { return (try? await proof.task.value) ?? false }
    let task = HostActor.task { [host] in
      do {
        // Without a machine that has ever loaded the jobs, no path is known.
        _ = try await host.desk.hooks()
        try await host.store.proveWritable()
        return true
      } catch {
        if !host.noteOutage(error), (error as? JobError)?.isRetryable != true {
          host.log(.error, "the store takes no changes: \(error)")
        }
        return false
      }
    }
    proof = (task, HostLoop.uptime + Self.memory)
    return (try? await task.value) ?? false
  }

  private func text(_ text: String, status: Int = 200) -> ServerResponse {
    ServerResponse(
      status: status,
      headers: [("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")]
        + (status == 503 ? [("Retry-After", "10")] : []), text: text + "\n", type: "text/plain; charset=utf-8")
  }
}
