import CCurlShims
import HostLoop

/// Drives every transfer of the process: one `curl_multi`, in which the host loop sleeps.
final class CurlPoller: Poller, @unchecked Sendable {
  // Unchecked: `multi` is set once and used on the loop's thread, but for `curl_multi_wakeup`, which libcurl allows from
  // any thread.
  private let multi: UnsafeMutableRawPointer

  init() throws(HTTPError) {
    try CurlLibrary.load()
    guard let multi = ccurl_multi_init() else {
      throw HTTPError(kind: .transfer, message: "there is no memory for network transfers")
    }
    self.multi = multi
  }

  deinit { fatalError("the poller lives as long as the process") }

  /// How many connections to one host are open at a time, and idle ones kept.
  @HostActor func setMaximumConnectionsPerHost(_ number: Int) {
    _ = ccurl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, number)
    // Without this, libcurl closes connections when fewer transfers run than a moment ago.
    _ = ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, number)
  }

  /// Starts the transfer of an easy handle at the next poll.
  @HostActor func add(_ easy: UnsafeMutableRawPointer) -> Bool { ccurl_multi_add(multi, easy) == CURLM_OK }

  /// Takes the easy handle back; a transfer under way ends and its connection is closed.
  @HostActor func remove(_ easy: UnsafeMutableRawPointer) { _ = ccurl_multi_remove(multi, easy) }

  func poll(milliseconds: Int32?) {
    if milliseconds != 0 { _ = ccurl_multi_poll(multi, milliseconds ?? 3_600_000) }
    _ = ccurl_multi_perform(multi)
    HostActor.assumeIsolated {
      var code = CURLE_OK
      while let easy = ccurl_multi_next_done(multi, &code) {
        remove(easy)
        Transfer.of(easy)?.finish(.ended(code))
      }
    }
  }

  func wake() { _ = ccurl_multi_wakeup(multi) }
}
