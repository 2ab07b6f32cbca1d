import Core
import HTTPClient
import HostLoop
import JSON
import JobConditions
import JobNotices
import Jobs

/// Sends the notices of jobs, and tries again those that fail. A notice that cannot be sent starts no notice.
@HostActor
final class NoticePost {
  private let host: JobHost
  private let client = HTTPClient()
  private var isSending = false
  private var timer: TimerQueue.ID?

  init(_ host: JobHost) { self.host = host }

  /// Sends what is due, and looks again when more is.
  func look() {
    guard !isSending else { return }
    if let timer { HostLoop.shared.cancel(timer) }
    timer = nil
    isSending = true
    HostActor.task {
      await self.send()
      self.isSending = false
      self.plan()
    }
  }

  private func plan() {
    guard !host.isStopping, let next = host.notices.map(\.wake).min() else { return }
    let pause = Double(max(0, next - MachineClock().now.wall)) / 1000
    timer = HostLoop.shared.schedule(after: min(max(pause, 1), 600)) { [weak self] in self?.look() }
  }

  private func send() async {
    let now = MachineClock().now.wall
    for entry in host.notices where entry.wake <= now && !host.isStopping {
      let problem = await problem(sending: entry)
      do {
        try await host.perform { try await $0.noticeTried(entry, problem) }
      } catch {
        // The store is away: the notice may come twice, which is better than never.
        host.noteOutage(error)
        return
      }
    }
  }

  /// Why a notice could not be sent; nil if it was.
  private func problem(sending entry: NoticeBox.Entry) async -> String? {
    let (url, isPlain) = entry.notice.request
    // It leaves this machine, as a log line does.
    let text = OutputText(isPlain ? entry.content["text"]?.string ?? "" : entry.content.encoded()).text
    let type = isPlain ? "text/plain; charset=utf-8" : "application/json"
    do throws(HTTPError) {
      let response = try await client.send(
        HTTPRequest(
          method: "POST", url: url, headers: ["Content-Type": type], body: Array(text.utf8), followsRedirects: false))
      return (200..<300).contains(response.status) ? nil : "it answered with status \(response.status)"
    } catch { return error.message.replacing(url, with: entry.notice.shown) }
  }
}
