import HostLoop

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

  /// The lanes to one server.
  func pool(_ key: LanePool.Key) -> LanePool {
    if let pool = pools[key] { return pool }
    let pool = LanePool(multi: lanes, engine: self)
    pools[key] = pool
    return pool
  }
}
