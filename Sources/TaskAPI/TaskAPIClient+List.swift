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

  /// Gives the caller's tasks to `body` one after the other while they come in, so that a list of any length takes little
  /// memory.
  ///
  /// If this throws, the tasks that `body` got are only a part of the list. An error that `body` throws ends the exchange
  /// and is thrown.
  package func each(_ body: @escaping @HostActor (APITask) throws -> Void) async throws {
    try await read { element, scanner in
      let task = try element.task(of: scanner)
      do { try body(task) } catch { throw TaskListReader.Abandoned(cause: error) }
    }
  }

  /// As `each`, but with no more than what tells which texts there are how often.
  /// - Parameter body: gets each text, and whether its task has the Node server's `_id`: that server may show 20 tasks only.
  /// - Returns: how many tasks there are.
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

  /// The list as it came, for those who read it themselves.
  package func listText() async throws -> TaskListText {
    let (response, isRenewed) = try await send("GET", url)
    guard response.status == 200 else { throw failure(response, "GET", url, isRenewed: isRenewed) }
    return TaskListText(response, request: "GET \(url)")
  }

  /// Reads the list element by element. Returns how many there are.
  @discardableResult
  private func read(_ use: @escaping TaskListReader.Use) async throws -> Int {
    let reader = TaskListReader(use)
    _ = try await receive(reader) { reader.receive($0) }
    return reader.count
  }

  /// Receives the list with `reader`, to which `onBody` gives it. Returns the answer's head.
  func receive(
    _ reader: TaskListReader, onBody: @escaping @HostActor @Sendable (UnsafeRawBufferPointer) -> Bool
  ) async throws -> HTTPResponse {
    let (response, isRenewed): (HTTPResponse, Bool)
    do { (response, isRenewed) = try await send("GET", url, onBody: onBody) } catch {
      if let problem = reader.problem { throw reader.error(problem, in: nil, "GET \(url)") }
      throw reader.cause ?? error
    }
    guard response.status == 200 else { throw failure(response, "GET", url, isRenewed: isRenewed) }
    reader.finish()
    if let problem = reader.problem { throw reader.error(problem, in: response, "GET \(url)") }
    if let cause = reader.cause { throw cause }
    return response
  }
}
