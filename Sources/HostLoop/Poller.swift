/// How the loop sleeps until there is something to do. The first one waits on a pipe; `HTTPClient` brings one that
/// also drives its transfers (`curl_multi_poll`).
package protocol Poller: AnyObject, Sendable {
  /// Waits until `wake()` is called, the poller has work of its own, or `milliseconds` have passed (nil: no limit), and
  /// does that work. Called on the loop's thread only.
  func poll(milliseconds: Int32?)
  /// Ends a `poll` under way or the next one, early. Called from any thread.
  func wake()
}
