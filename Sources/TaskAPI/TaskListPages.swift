import HTTPClient
package import HostLoop
import JSON

/// A list of tasks as the server sent it: JSON that nobody has read yet.
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

  /// The tasks. Throws the mistake of a body that is no list of tasks.
  package func tasks() throws -> [APITask] {
    var tasks: [APITask] = []
    let reader = TaskListReader { element, scanner in tasks.append(try element.task(of: scanner)) }
    _ = body.withUnsafeBytes { reader.receive($0) }
    try reader.finish(head, request)
    return tasks
  }
}

/// A list of tasks that was received whole, to be read a part at a time. A long list is in a file, not in memory.
@HostActor
package final class TaskListPages {
  private let bytes: SpooledBytes
  private let head: HTTPResponse
  private let request: String
  private var scanner = JSONElementScanner()
  private var isAtEnd = false
  private static let pageSize = 64 << 10

  init(_ bytes: SpooledBytes, _ head: HTTPResponse, request: String) {
    self.bytes = bytes
    self.head = head
    self.request = request
  }

  /// The next tasks, as a list of their own; nil at the end.
  package func next() throws -> TaskListText? {
    var page = Array("[".utf8)
    do {
      while page.count <= Self.pageSize {
        if let element = try scanner.next() {
          if page.count > 1 { page.append(UInt8(ascii: ",")) }
          scanner.withBytes(of: element) { page.append(contentsOf: $0) }
        } else if isAtEnd {
          break
        } else {
          let piece = try bytes.read(Self.pageSize)
          isAtEnd = piece.isEmpty
          if isAtEnd { scanner.finish() } else { scanner.append(piece) }
        }
      }
    } catch let error as JSONError {
      throw TaskAPIError.unexpectedBody(head, to: request, expected: "a list of tasks in JSON", reason: error.message)
    }
    guard page.count > 1 else { return nil }
    page.append(UInt8(ascii: "]"))
    var response = head
    response.body = page
    return TaskListText(response, request: request)
  }
}
