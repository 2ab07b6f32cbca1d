package import HTTPServer
import Synchronization

/// Pages of a test's own, by their paths.
package final class PageServer: Sendable {
  private let server: HTTPServer
  private let requested: Requests

  private final class Requests: Sendable {
    let paths = Mutex<[String]>([])
  }

  package init(tls: TLSIdentity? = nil, _ pages: [String: ServerResponse]) throws {
    let requested = Requests()
    self.requested = requested
    server = try HTTPServer(tls: tls) { request in
      requested.paths.withLock { $0.append(request.path) }
      return pages[request.path] ?? ServerResponse(status: 404, text: "nothing", type: "text/plain")
    }
  }

  deinit { server.stop() }

  package var url: String { "\(server.isSecure ? "https" : "http")://127.0.0.1:\(server.port)" }

  /// The paths that were asked for, in order.
  package var paths: [String] { requested.paths.withLock { $0 } }

  /// A page of this title.
  package static func page(_ title: String, _ body: String) -> ServerResponse {
    ServerResponse(
      text: "<!DOCTYPE html><meta charset=\"utf-8\"><title>\(title)</title>\(body)", type: "text/html; charset=utf-8")
  }

  package static func redirect(_ target: String) -> ServerResponse {
    ServerResponse(status: 302, headers: [("Location", target)])
  }
}
