import Core
import HTTPClient
import HTTPServer
import HostLoop
import JSON
import TaskAPI

/// A server that has one list of tasks.
final class TaskList: Sendable {
  private let server: HTTPServer

  init(_ answer: ServerResponse) throws { server = try HTTPServer { _ in answer } }

  convenience init(_ tasks: [JSON]) throws {
    try self.init(ServerResponse(text: JSON.array(tasks).encoded(), type: "application/json"))
  }

  func stop() { server.stop() }

  @HostActor func client() throws -> TaskAPIClient {
    try TaskAPIClient(http: HTTPClient(), tokens: FixedToken(), baseURL: "http://127.0.0.1:\(server.port)")
  }
}

struct FixedToken: TokenProvider {
  func token(afterRejected rejected: Secret?) -> Secret { Secret("good") }
}
