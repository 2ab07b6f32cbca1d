import CCurlShims
import HostLoop

extension Transfer {
  /// Sets the options that are the same for every request.
  func setUp() {
    let context = Unmanaged.passUnretained(self).toOpaque()
    _ = ccurl_set_pointer(easy, CURLOPT_PRIVATE, context)
    _ = ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
    // The program has its own handling of signals.
    _ = ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1)
    _ = ccurl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
    // Redirects are followed by HTTPClient, which knows what may go along.
    _ = ccurl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
    _ = ccurl_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    _ = ccurl_set_long(easy, CURLOPT_SSL_VERIFYPEER, 1)
    _ = ccurl_set_long(easy, CURLOPT_SSL_VERIFYHOST, 2)
    _ = ccurl_set_pointer(easy, CURLOPT_WRITEDATA, context)
    _ = ccurl_set_pointer(easy, CURLOPT_HEADERDATA, context)
    _ = ccurl_set_pointer(easy, CURLOPT_PREREQDATA, context)
    _ = ccurl_set_pointer(easy, CURLOPT_XFERINFODATA, context)

    _ = ccurl_set_write(easy, CURLOPT_WRITEFUNCTION) { bytes, _, count, context in
      Transfer.with(context) { $0.receive(UnsafeRawBufferPointer(start: bytes, count: count)) } ? count : 0
    }
    _ = ccurl_set_write(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      let count = size * count
      return Transfer.with(context) { $0.receive(line: UnsafeRawBufferPointer(start: bytes, count: count)) }
        ? count : 0
    }
    _ = ccurl_set_progress(easy) { context, toReceive, received, toSend, sent in
      Transfer.with(context) {
        $0.advanced(
          to: HTTPProgress(
            sent: sent, toSend: toSend, received: received, toReceive: toReceive > 0 ? toReceive : nil))
        return true
      } ? 0 : 1
    }
    _ = ccurl_set_debug(
      easy,
      { _, type, bytes, count, context in
        guard type == CURLINFO_HEADER_OUT else { return 0 }
        let head = UnsafeRawBufferPointer(start: bytes, count: count)
        return Transfer.with(context) { $0.sent(head: head) } ? 0 : 1
      }, context)
    // libcurl sends a request again on its own when a connection used before dies without an answer, although the server
    // may have acted on it. It asks here each time before it sends.
    _ = ccurl_set_before_request(easy) { context, _, _, _, _ in
      Transfer.with(context) { $0.mayBeSent() } ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
  }

  private func mayBeSent() -> Bool {
    attempts += 1
    measure?.begun = HostLoop.uptime
    if attempts > 1, !mayBeRepeated {
      wasRepetitionRefused = true
      return false
    }
    return true
  }

  /// Called back by libcurl, on the loop's thread.
  private nonisolated static func with(_ context: UnsafeMutableRawPointer?, _ action: @HostActor (Transfer) -> Bool)
    -> Bool
  {
    guard let context else { return false }
    let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    return HostActor.assumeIsolated { action(transfer) }
  }
}
