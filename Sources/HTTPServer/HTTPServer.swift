import CMicrohttpdShims
import Core
import Synchronization

/// An HTTP or HTTPS server: for this machine only, on 127.0.0.1 and, with IPv6, on the same port of [::1]; or on a socket
/// of the caller's choice.
package final class HTTPServer: Sendable {
  /// The port of the server: the given one, or for 0 the one that the system chose.
  package let port: UInt16
  /// True for an HTTPS server.
  package let isSecure: Bool

  private static let library = LazyLibrary("libmicrohttpd", package: "libmicrohttpd12", cmhd_load)
  private let service: Service
  private let daemons: Mutex<[Daemon]>

  /// Loads libmicrohttpd and starts the server, which refuses larger bodies than `bodyLimit` with 413.
  /// - Parameters:
  ///   - clientAuthorities: PEM of the authorities that may have issued certificates of clients; nil to ask for none. A
  ///     client may show another certificate, or none.
  ///   - requestTime: the seconds from the first byte of a request to its last; a slower connection is ended.
  ///   - handler: called on a thread for each address family, perhaps on both at once. Their other connections wait.
  package init(
    port: UInt16 = 0, tls: TLSIdentity? = nil, clientAuthorities: String? = nil, bodyLimit: Int = 1 << 20,
    requestTime: Double = 30,
    handler: @escaping @Sendable (ServerRequest) -> ServerResponse
  ) throws(HTTPServerError) {
    try Self.library.demand { HTTPServerError(.startFailed, $0, hint: $1) }
    let asksForCertificates = tls != nil && clientAuthorities != nil
    if asksForCertificates { try TLSIdentity.loadLibrary() }
    let service = Service(
      bodyLimit: bodyLimit, requestTime: requestTime, asksForCertificates: asksForCertificates, handler: handler)
    let sockets = try LoopbackSockets.open(port: port)
    self.port = sockets.port
    self.service = service
    isSecure = tls != nil
    let first = try Daemon(sockets.v4, tls: tls, clientAuthorities: clientAuthorities, service: service)
    guard let v6 = sockets.v6 else {
      daemons = Mutex([first])
      return
    }
    do {
      daemons = Mutex([first, try Daemon(v6, tls: tls, clientAuthorities: clientAuthorities, service: service)])
    } catch {
      first.stop()
      throw error
    }
  }

  /// Loads libmicrohttpd and starts the server on one socket.
  package init(
    on listener: Listener, bodyLimit: Int = 1 << 20, requestTime: Double = 30,
    handler: @escaping @Sendable (ServerRequest) -> ServerResponse
  ) throws(HTTPServerError) {
    try Self.library.demand { HTTPServerError(.startFailed, $0, hint: $1) }
    let socket: (descriptor: CInt, port: UInt16)
    var tls: TLSIdentity?
    switch listener {
    case .loopback(let address):
      guard address.isLoopback else {
        throw HTTPServerError(.badAddress, "\(address) is not a loopback address of this machine")
      }
      socket = try address.listen()
    case .secure(let address, let identity): (socket, tls) = (try address.listen(), identity)
    case .behindProxy(let address): socket = try address.listen()
    case .descriptor(let descriptor, let identity):
      (socket, tls) = ((descriptor, ListenAddress.port(of: descriptor)), identity)
    }
    let service = Service(
      bodyLimit: bodyLimit, requestTime: requestTime, asksForCertificates: false, handler: handler)
    port = socket.port
    self.service = service
    isSecure = tls != nil
    daemons = Mutex([try Daemon(socket.descriptor, tls: tls, clientAuthorities: nil, service: service)])
  }

  deinit { stop() }

  /// Closes the port and all connections, and waits until the last handler has returned. A handler must not call it.
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
