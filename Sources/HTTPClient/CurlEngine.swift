import HostLoop

/// What all clients share: connections, and transfers ready to be used again.
@HostActor
final class CurlEngine {
  /// Made with the first request. Making it fails when libcurl is missing.
  static func shared() throws(HTTPError) -> CurlEngine {
    if let made { return made }
    let engine = try CurlEngine()
    made = engine
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
  /// Servers that answered 421 on a connection: the next request to each takes a new one.
  var misdirected: Set<Origin> = []

  private init() throws(HTTPError) {
    transfers = try CurlMulti()
    lanes = try CurlMulti()
  }

  /// Allows at least `number` connections to one host.
  func allow(connectionsPerHost number: Int) {
    guard number > maximumConnectionsPerHost else { return }
    maximumConnectionsPerHost = number
    transfers.setMaximumConnectionsPerHost(number)
  }

  /// A transfer for one request. One with cookies is not used again: libcurl does not forget them.
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
