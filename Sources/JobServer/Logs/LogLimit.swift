import Files
import Glibc
package import HostLoop
import JobLogs
package import Jobs

/// Ends runs whose logs grow without end, before they fill the disk.
@HostActor
package final class LogLimit {
  /// Bytes of the log of a run.
  private static let most: Int64 = 64 << 20
  /// Seconds between two looks.
  private static let pause = 1.0
  private unowned let host: JobHost
  private let folder: String
  private var timer: TimerQueue.ID?

  /// - Parameter folder: the folder of the logs.
  package init(_ host: JobHost, _ folder: String) {
    self.host = host
    self.folder = folder
    host.watch { [weak self] in if case .run(let run) = $0, run.state == .started { self?.look() } }
  }

  private func look() {
    guard timer == nil, !host.running.isEmpty else { return }
    timer = HostLoop.shared.schedule(after: Self.pause) { [weak self] in
      guard let self else { return }
      timer = nil
      for run in host.running where isTooLong(run) { stop(run) }
      look()
    }
  }

  private func isTooLong(_ run: Int64) -> Bool {
    (FileSystem.status(of: LogFile.path(of: run, in: folder))?.st_size).map { Int64($0) > Self.most } ?? false
  }

  private func stop(_ run: Int64) {
    let error = RunError(
      code: "log_full", message: "the log of the run is longer than \(Self.most >> 20) MiB",
      hint: "print less, or write into a file of the script's own")
    // A store that refuses the change gets it again after the next look.
    HostActor.task { [host] in try await host.perform { try await $0.stop(run, error) } }
  }
}
