import HTTPClient
import HostLoop
import JSON

extension TaskAPIClient {
  /// The caller's tasks, in the server's order; a Node server may show the 20 oldest only.
  package func list() async throws -> [APITask] {
    var tasks: [APITask] = []
    try await each { tasks.append($0) }
    return tasks
  }

  /// Gives the caller's tasks to `body` one by one while they come in: a list of any length takes little memory. If
  /// this throws, `body` got only a part of the list. An error of `body` ends the exchange and is thrown.
  package func each(_ body: @escaping @HostActor (APITask) throws -> Void) async throws {
    try await read { element, scanner in
      let task = try element.task(of: scanner)
      do { try body(task) } catch { throw TaskListReader.Abandoned(cause: error) }
    }
  }

  /// Like `each`, with only the facts that tell which texts the list has, and how often. Returns the number of tasks.
  /// - Parameter body: gets each text, and true for a task with the Node server's `_id`: it may show 20 tasks only.
  @discardableResult
  package func forEachText(
    _ body: @escaping @HostActor (_ text: String, _ isOfNode: Bool) throws -> Void
  ) async throws -> Int {
    try await read { element, scanner in
      let text: String
      let isOfNode: Bool
      if let task = scanner.withBytes(of: element, PlainTask.init) {
        (text, isOfNode) = (task.text, task.isOfNode)
      } else {
        let task = try element.task(of: scanner)
        (text, isOfNode) = (task.text, task.raw["_id"] != nil)
      }
      do { try body(text, isOfNode) } catch { throw TaskListReader.Abandoned(cause: error) }
    }
  }

  /// The list as it was received, for a caller that reads it itself.
  package func listText() async throws -> TaskListText {
    let (response, isRenewed) = try await send("GET", url)
    guard response.status == 200 else { throw failure(response, "GET", url, isRenewed: isRenewed) }
    return TaskListText(response, request: "GET \(url)")
  }

  /// The caller's tasks as a list for slow reading: the exchange is over, the list is complete, little is in memory.
  package func pages() async throws -> TaskListPages {
    let bytes = SpooledBytes()
    // This reader only checks that the list is complete.
    let reader = TaskListReader { _, _ in }
    let response = try await receive(reader) { piece in
      do { try bytes.append(piece) } catch { reader.abandon(error) }
      return reader.receive(piece)
    }
    return TaskListPages(bytes, response, request: "GET \(url)")
  }

  /// Reads the list element by element. Returns the number of elements.
  @discardableResult
  private func read(_ use: @escaping TaskListReader.Use) async throws -> Int {
    let reader = TaskListReader(use)
    _ = try await receive(reader) { reader.receive($0) }
    return reader.count
  }

  /// Receives the list with `reader`, to which `onBody` gives it. Returns the answer's head.
  private func receive(
    _ reader: TaskListReader, onBody: @escaping @HostActor @Sendable (UnsafeRawBufferPointer) -> Bool
  ) async throws -> HTTPResponse {
    let (response, isRenewed): (HTTPResponse, Bool)
    do { (response, isRenewed) = try await send("GET", url, onBody: onBody) } catch {
      try reader.check(nil, "GET \(url)")
      throw error
    }
    guard response.status == 200 else { throw failure(response, "GET", url, isRenewed: isRenewed) }
    try reader.finish(response, "GET \(url)")
    return response
  }
}
