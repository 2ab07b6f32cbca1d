import CCurlShims
import Core
package import HostLoop

/// The connections that all clients share, and transfers ready to be used again.
@HostActor
final class CurlEngine {
  /// Returns the engine, made for the first request, which allows at least so many connections to one host.
  static func shared(connectionsPerHost number: Int) throws(HTTPError) -> CurlEngine {
    let engine = if let made { made } else { try CurlEngine() }
    made = engine
    if number > engine.maximumConnectionsPerHost {
      engine.maximumConnectionsPerHost = number
      engine.transfers.setMaximumConnectionsPerHost(number)
    }
    return engine
  }

  private static var made: CurlEngine?
  private static let maximumIdle = 256

  private let transfers: CurlMulti
  /// Apart from the others, so that neither counts toward the other's limits.
  private let lanes: CurlMulti
  private var pools: [LanePool.Key: LanePool] = [:]
  private var idle: [Transfer] = []
  private(set) var maximumConnectionsPerHost = 0
  /// The servers that answered 421 on a connection: the next request to each takes a new one.
  var misdirected: Set<Origin> = []

  private init() throws(HTTPError) {
    transfers = try CurlMulti()
    lanes = try CurlMulti()
  }

  /// Returns a transfer for one request. One with cookies is not used again: libcurl does not forget them.
  func take(with jar: CookieJar?) throws(HTTPError) -> Transfer {
    if let jar { return try Transfer(multi: transfers, jar: jar) }
    if let transfer = idle.popLast() { return transfer }
    return try Transfer(multi: transfers, jar: nil)
  }

  func giveBack(_ transfer: Transfer) {
    transfer.clear()
    if transfer.isReusable, idle.count < Self.maximumIdle { idle.append(transfer) }
  }

  func pool(_ key: LanePool.Key) -> LanePool {
    if let pool = pools[key] { return pool }
    let pool = LanePool(multi: lanes, engine: self)
    pools[key] = pool
    return pool
  }
}

/// libcurl itself, loaded on first use.
enum CurlLibrary {
  static let library = LazyLibrary("libcurl", package: "libcurl4", ccurl_load)

  static func load() throws(HTTPError) { try library.demand { HTTPError(.transfer, $0, hint: $1) } }
}

/// The cookies of one browsing session, in memory (RFC 6265, with the public suffix list), for requests with this jar.
@HostActor
package final class CookieJar: Sendable {
  private var share: UnsafeMutableRawPointer?
  /// The cookies that libcurl did not keep or send in the last request.
  var notices: [CookieNotice] = []

  package nonisolated init() {}

  isolated deinit {
    // No transfer uses the jar any more: each holds a reference to it.
    if let share { _ = ccurl_share_cleanup(share) }
  }

  func takeNotices() -> [CookieNotice] {
    defer { notices = [] }
    return notices
  }

  /// libcurl's handle, made for the first request.
  func handle() throws(HTTPError) -> UnsafeMutableRawPointer {
    try CurlLibrary.load()
    if let share { return share }
    guard let made = ccurl_share_init() else { throw HTTPError(.transfer, "there is no memory for cookies") }
    _ = ccurl_share_set_long(made, CURLSHOPT_SHARE, Int(CURL_LOCK_DATA_COOKIE.rawValue))
    share = made
    return made
  }
}
