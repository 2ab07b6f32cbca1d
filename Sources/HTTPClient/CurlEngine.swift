import HostLoop

/// What all clients share: the poller, and transfers ready to be used again.
@HostActor
final class CurlEngine {
  /// Made with the first request. Making it fails when libcurl is missing.
  static func shared() throws(HTTPError) -> CurlEngine {
    if let made { return made }
    let engine = try CurlEngine()
    HostLoop.shared.install(engine.poller)
    made = engine
    return engine
  }

  private static var made: CurlEngine?
  private static let maximumIdle = 256

  let poller: CurlPoller
  private var idle: [Transfer] = []
  private var maximumConnectionsPerHost = 0

  private init() throws(HTTPError) {
    poller = try CurlPoller()
  }

  /// Allows at least `number` connections to one host.
  func allow(connectionsPerHost number: Int) {
    guard number > maximumConnectionsPerHost else { return }
    maximumConnectionsPerHost = number
    poller.setMaximumConnectionsPerHost(number)
  }

  /// A transfer for one request. One with cookies is not used again: libcurl does not forget them.
  func take(with jar: CookieJar?) throws(HTTPError) -> Transfer {
    if let jar { return try Transfer(poller: poller, jar: jar) }
    if let transfer = idle.popLast() { return transfer }
    return try Transfer(poller: poller, jar: nil)
  }

  func giveBack(_ transfer: Transfer) {
    transfer.clear()
    if transfer.isReusable, idle.count < Self.maximumIdle { idle.append(transfer) }
  }
}
