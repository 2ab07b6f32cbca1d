import Core
import HTTPClient
import HTTPServer
import HostLoop
import Synchronization
import UserAgents

/// A site of scripted pages on a socket, which records its requests.
final class Site: Sendable {
  typealias Handler = @Sendable (ServerRequest) -> ServerResponse

  private let server: HTTPServer
  private let log: Log

  private final class Log: Sendable {
    let requests = Mutex<[ServerRequest]>([])
  }

  init(_ handler: @escaping Handler) throws {
    let log = Log()
    self.log = log
    server = try HTTPServer { request in
      log.requests.withLock { $0.append(request) }
      return handler(request)
    }
  }

  var url: String { "http://127.0.0.1:\(server.port)" }
  var authorize: String { "\(url)/oauth2/authorize?client_id=x&state=st%20ate" }
  var requests: [ServerRequest] { log.requests.withLock { $0 } }
  /// `GET /path`, in order.
  var seen: [String] { requests.map { "\($0.method) \($0.path)" } }

  /// Nobody listens there: a request for it would fail.
  static let redirectURI = "http://127.0.0.1:9/callback"

  @HostActor func open(
    username: String? = "alice", password: String? = "secret word", redirectURI: String = Site.redirectURI,
    _ change: (inout NavigationRequest) -> Void = { _ in }
  ) async throws -> String {
    var request = NavigationRequest(
      url: authorize, redirectURI: redirectURI, loginURL: "\(url)/login", timeout: 20, username: username,
      password: password.map { Secret($0) })
    change(&request)
    return try await HeadlessAgent(http: HTTPClient()).open(request)
  }

  deinit { server.stop() }
}

extension ServerResponse {
  static func page(_ html: String, status: Int = 200, cookies: [String] = []) -> ServerResponse {
    var response = ServerResponse(
      status: status, text: "<!doctype html><title>Sign in</title>\(html)", type: "text/html; charset=utf-8")
    response.headers += cookies.map { ("Set-Cookie", $0) }
    return response
  }

  static func redirect(_ location: String, status: Int = 302, cookies: [String] = []) -> ServerResponse {
    ServerResponse(status: status, headers: [("Location", location)] + cookies.map { ("Set-Cookie", $0) })
  }
}

extension ServerRequest {
  func field(_ name: String) -> String? { form.first { $0.0 == name }?.1 }
}
