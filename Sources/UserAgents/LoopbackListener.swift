import Core
import HTTPClient
import HTTPServer
package import HostLoop

/// Waits on 127.0.0.1 and [::1] for the browser to come back (RFC 8252, section 7.3). It holds its port from the start,
/// so that the redirect URI is known early; each trip that ends gives the port back, and another takes it again.
@HostActor
package final class LoopbackListener: Sendable {
  /// The redirect URI with the port that is listened on, for the authorization request.
  package nonisolated let redirectURI: String
  package nonisolated let port: UInt16

  private let desk: RedirectDesk
  private var server: HTTPServer?

  /// Listens at once on an http address on loopback; without a port, or with port 0, on any free one.
  /// - Throws: `port_taken`, `listen_failed`, `invalid_redirect_uri`.
  package init(redirectURI: String = "http://localhost/") throws(UserAgentError) {
    let address = try LoopbackAddress(redirectURI)
    let desk = RedirectDesk()
    let server = try Self.listen(address.port ?? 0, desk)
    port = server.port
    self.redirectURI = address.uri(port: server.port)
    self.desk = desk
    self.server = server
    desk.serve(at: self.redirectURI)
  }

  /// True if a listener can be made for this redirect URI.
  package nonisolated static func canListen(on redirectURI: String) -> Bool {
    (try? LoopbackAddress(redirectURI)) != nil
  }

  /// Gives the port back. Without it the last reference to the listener does.
  package func close() {
    desk.stopWaiting()
    server?.stop()
    server = nil
  }

  /// The next redirect with this state, or any for nil. Others are answered with an error page and do not count.
  func expect(state: String?) throws(UserAgentError) -> CancellableWait<String> {
    if server == nil { server = try Self.listen(port, desk) }
    return desk.expect(state: state)
  }

  private nonisolated static func listen(_ port: UInt16, _ desk: RedirectDesk) throws(UserAgentError) -> HTTPServer {
    do { return try HTTPServer(port: port, handler: desk.answer) } catch {
      switch error.kind {
      case .portTaken:
        throw UserAgentError(
          .portTaken, "the browser cannot come back to port \(port): another program listens there",
          hint: "end that program (ss -ltnp 'sport = :\(port)' names it), or set redirectURL to another port or none")
      default:
        throw UserAgentError(
          .listenFailed, "the browser cannot come back to this machine: \(error.message)", hint: error.hint)
      }
    }
  }
}

/// A redirect URI on this machine (RFC 8252, section 7.3), taken apart for whoever listens there.
struct LoopbackAddress {
  /// `http://localhost`, `http://[::1]`: what stands before the port.
  private let start: String
  /// The path and the query behind it, as they are registered.
  private let rest: String
  let port: UInt16?

  init(_ redirectURI: String) throws(UserAgentError) {
    let shown = Address.shown(redirectURI)
    guard let origin = Origin(redirectURI), origin.isLoopback, !redirectURI.contains("#"), Address(redirectURI) != nil
    else {
      throw UserAgentError(
        .invalidRedirectURI, "no browser can come back to this program at the redirect URI \(shown)",
        hint: "use one like http://localhost:8400/, registered for the application, or the agent \"terminal\"")
    }
    guard origin.scheme == "http" else {
      throw UserAgentError(
        .invalidRedirectURI,
        "the redirect URI \(shown) is https, for which browsers would want a certificate of this machine",
        hint: "use http, as RFC 8252 has it for the loopback interface, or the agent \"terminal\"")
    }
    let authority = redirectURI.dropFirst("http://".count).prefix { !"/?".contains($0) }
    rest = String(redirectURI.dropFirst("http://".count + authority.count))
    let host = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
    start = "http://\(host)"
    let digits = authority.dropFirst(host.count + 1)
    port = digits.isEmpty || origin.port == 0 ? nil : origin.port
  }

  func uri(port: UInt16) -> String { "\(start):\(self.port ?? port)\(rest.isEmpty ? "/" : rest)" }
}
