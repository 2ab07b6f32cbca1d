import HTTPClient
package import HostLoop
import JSON

/// A list of tasks that has come in whole, to be read a part at a time. A long one is in a file, not in memory.
@HostActor
package final class TaskListPages {
  private let bytes: SpooledBytes
  private let head: HTTPResponse
  private let request: String
  private var scanner = JSONElementScanner()
  private var isAtEnd = false
  private let pageSize: Int

  init(_ bytes: SpooledBytes, _ head: HTTPResponse, request: String, pageSize: Int = 64 << 10) {
    self.bytes = bytes
    self.head = head
    self.request = request
    self.pageSize = pageSize
  }

  /// The next tasks, as a list of their own; nil when there are no more.
  package func next() throws -> TaskListText? {
    var page = Array("[".utf8)
    do {
      while page.count <= pageSize {
        if let element = try scanner.next() {
          if page.count > 1 { page.append(UInt8(ascii: ",")) }
          scanner.withBytes(of: element) { page.append(contentsOf: $0) }
        } else if isAtEnd {
          break
        } else {
          let piece = try bytes.read(pageSize)
          isAtEnd = piece.isEmpty
          if isAtEnd { scanner.finish() } else { scanner.append(piece) }
        }
      }
    } catch let error as JSONError {
      throw TaskAPIError.unexpectedBody(
        head, to: request, expected: "a list of tasks in JSON", reason: error.message)
    }
    guard page.count > 1 else { return nil }
    page.append(UInt8(ascii: "]"))
    var response = head
    response.body = page
    return TaskListText(response, request: request)
  }
}

extension TaskAPIClient {
  /// The caller's tasks as a list that can be read at leisure: the exchange is over, the list known to be complete, and
  /// little of it in memory.
  package func pages() async throws -> TaskListPages {
    let bytes = SpooledBytes()
    // Only to see whether it is complete.
    let reader = TaskListReader { _, _ in }
    let response = try await receive(reader) { piece in
      do { try bytes.append(piece) } catch { reader.abandon(error) }
      return reader.receive(piece)
    }
    return TaskListPages(bytes, response, request: "GET \(url)")
  }
}
