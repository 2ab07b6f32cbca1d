import HTTPClient
package import HostLoop
import JSON

/// A list of tasks as the server sent it: JSON that nobody has looked at.
@HostActor
package struct TaskListText {
  package var body: [UInt8]
  private var head: HTTPResponse
  private let request: String

  init(_ response: HTTPResponse, request: String) {
    body = response.body
    head = response
    head.body = []
    self.request = request
  }

  /// The tasks; throws what is wrong where it is no list of tasks.
  package func tasks() throws -> [APITask] {
    var tasks: [APITask] = []
    let reader = TaskListReader { element, scanner in tasks.append(try element.task(of: scanner)) }
    _ = body.withUnsafeBytes { reader.receive($0) }
    reader.finish()
    if let problem = reader.problem { throw reader.error(problem, in: head, request) }
    if let cause = reader.cause { throw cause }
    return tasks
  }
}
