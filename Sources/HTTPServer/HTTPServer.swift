import Synchronization

/// An HTTP or HTTPS server for this machine alone: it listens on 127.0.0.1 and, where there is IPv6, on [::1], same port.
package final class HTTPServer: Sendable {
  /// The port it listens on: the given one, or the one the system chose for 0.
  package let port: UInt16
  /// Whether it speaks HTTPS.
  package let isSecure: Bool

  private let service: Service
  private let daemons: Mutex<[Daemon]>

  /// Starts at once, and loads libmicrohttpd for it. `handler` is called on the server's own threads (one for each address family) and may be called on both
  /// at the same time; while it works, the other connections of that thread wait. Bodies over `bodyLimit` bytes are refused
  /// with 413. A connection whose request is not complete `requestTime` seconds after its first byte is ended.
  package init(
    port: UInt16 = 0, tls: TLSIdentity? = nil, bodyLimit: Int = 1 << 20, requestTime: Double = 30,
    handler: @escaping @Sendable (ServerRequest) -> ServerResponse
  ) throws(HTTPServerError) {
    try MicrohttpdLibrary.load()
    let service = Service(bodyLimit: bodyLimit, requestTime: requestTime, handler: handler)
    let sockets = try LoopbackSockets.open(port: port)
    self.port = sockets.port
    self.service = service
    isSecure = tls != nil
    let first = try Daemon(sockets.v4, tls: tls, service: service)
    guard let v6 = sockets.v6 else {
      daemons = Mutex([first])
      return
    }
    do {
      daemons = Mutex([first, try Daemon(v6, tls: tls, service: service)])
    } catch {
      first.stop()
      throw error
    }
  }

  deinit {
    stop()
  }

  /// Closes the port and all connections, and waits until the last handler has returned. Not to be called from a handler.
  package func stop() {
    service.suspensions.finish()
    let stopping = daemons.withLock { daemons in
      defer { daemons = [] }
      return daemons
    }
    for daemon in stopping { daemon.stop() }
    service.connections.finish()
  }
}
