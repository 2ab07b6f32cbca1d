import CCurlShims
import HostLoop

/// A `curl_multi`, driven by the host loop: libcurl names the sockets and the time to wait for.
@HostActor
final class CurlMulti: DescriptorHandler {
  private let multi: UnsafeMutableRawPointer
  private var timer: TimerQueue.ID?

  init() throws(HTTPError) {
    try CurlLibrary.load()
    guard let multi = ccurl_multi_init() else { throw HTTPError(.transfer, "there is no memory for network transfers") }
    self.multi = multi
    // Unretained: it lives as long as the process.
    let context = Unmanaged.passUnretained(self).toOpaque()
    _ = ccurl_multi_set_socket_function(
      multi, { _, socket, what, context, _ in CurlMulti.of(context)?.wait(for: socket, what) ?? 0 }, context)
    _ = ccurl_multi_set_timer_function(multi, { CurlMulti.of($2)?.call(afterMilliseconds: $1) ?? 0 }, context)
  }

  deinit { fatalError("it lives as long as the process") }

  /// Sets the number of open connections to one host, idle ones included.
  func setMaximumConnectionsPerHost(_ number: Int) {
    _ = ccurl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, number)
    // Without this, libcurl closes connections when fewer transfers run than a moment ago.
    _ = ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, number)
  }

  /// Starts the transfer of an easy handle in the loop's next turn.
  func add(_ easy: UnsafeMutableRawPointer) -> Bool { ccurl_multi_add(multi, easy) == CURLM_OK }

  /// Takes the easy handle back; a transfer under way ends and its connection is closed.
  func remove(_ easy: UnsafeMutableRawPointer) { _ = ccurl_multi_remove(multi, easy) }

  func ready(_ descriptor: Int32, for readiness: Readiness) {
    act(
      descriptor,
      (readiness.contains(.read) ? CURL_CSELECT_IN : 0) | (readiness.contains(.write) ? CURL_CSELECT_OUT : 0)
        | (readiness.contains(.failure) ? CURL_CSELECT_ERR : 0))
  }

  private func act(_ socket: curl_socket_t, _ events: Int32) {
    _ = ccurl_multi_socket_action(multi, socket, events)
    var code = CURLE_OK
    while let easy = ccurl_multi_next_done(multi, &code) { Transfer.of(easy)?.ended(code) }
  }

  // MARK: Called back by libcurl

  private nonisolated static func of(_ context: UnsafeMutableRawPointer?) -> CurlMulti? {
    context.map { Unmanaged<CurlMulti>.fromOpaque($0).takeUnretainedValue() }
  }

  private nonisolated func wait(for socket: curl_socket_t, _ what: Int32) -> Int32 {
    HostActor.assumeIsolated {
      switch what {
      case CURL_POLL_IN: HostLoop.shared.watch(socket, for: .read, by: self)
      case CURL_POLL_OUT: HostLoop.shared.watch(socket, for: .write, by: self)
      case CURL_POLL_INOUT: HostLoop.shared.watch(socket, for: [.read, .write], by: self)
      default: HostLoop.shared.unwatch(socket)
      }
    }
    return 0
  }

  private nonisolated func call(afterMilliseconds milliseconds: Int) -> Int32 {
    HostActor.assumeIsolated { [self] in setTimer(milliseconds) }
    return 0
  }

  private func setTimer(_ milliseconds: Int) {
    if let timer { HostLoop.shared.cancel(timer) }
    timer = milliseconds < 0 ? nil : HostLoop.shared.schedule(after: Double(milliseconds) / 1000) { self.timeIsUp() }
  }

  private func timeIsUp() {
    timer = nil
    act(CURL_SOCKET_TIMEOUT, 0)
    // libcurl sets no new timer for the same time, which happens if its clock is behind the loop's.
    if timer == nil { setTimer(ccurl_multi_timeout(multi)) }
  }
}
