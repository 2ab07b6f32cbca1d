import CCurlShims
package import HostLoop

/// The cookies of one browsing session, kept in memory by libcurl's cookie engine (RFC 6265, with the public suffix
/// list). Requests that carry the same jar share them.
@HostActor
package final class CookieJar: Sendable {
  private var share: UnsafeMutableRawPointer?

  package nonisolated init() {}

  isolated deinit {
    // No transfer uses the jar any more: each holds a reference to it.
    if let share { _ = ccurl_share_cleanup(share) }
  }

  /// libcurl's handle, made for the first request.
  func handle() throws(HTTPError) -> UnsafeMutableRawPointer {
    try CurlLibrary.load()
    if let share { return share }
    guard let made = ccurl_share_init() else {
      throw HTTPError(kind: .transfer, message: "there is no memory for cookies")
    }
    _ = ccurl_share_set_long(made, CURLSHOPT_SHARE, Int(CURL_LOCK_DATA_COOKIE.rawValue))
    share = made
    return made
  }
}
