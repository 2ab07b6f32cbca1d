import HostLoop
import Secrets

/// The renewal of one account's tokens that is under way, for all who wait for it.
///
/// It runs on when one of them is canceled: a rotated refresh token must reach the store.
@HostActor
final class Renewal {
  private var waits: [CancellableWait<Secret>] = []
  private var result: Result<Secret, any Error>?

  func value() async throws -> Secret {
    // A renewal that never has to wait may be over before its starter gets here.
    if let result { return try result.get() }
    let wait = CancellableWait<Secret>()
    waits.append(wait)
    return try await wait.value()
  }

  func finish(_ result: Result<Secret, any Error>) {
    self.result = result
    for wait in waits { wait.finish(result) }
    waits = []
  }
}
