import HTTPClient
import HostLoop
import JSON

/// Takes a list of tasks apart while it comes in.
@HostActor
final class TaskListReader {
  /// Gets each element of the list, and the scanner that has its bytes. Throws `JSONError` for what is no task.
  typealias Use = @HostActor (JSONElement, JSONElementScanner) throws -> Void

  /// The error that a `Use` throws to end the exchange.
  struct Abandoned: Error {
    let cause: any Error
  }

  /// Why the list cannot be read; nil while it can.
  private(set) var problem: JSONError?
  /// Why nobody wants to read on.
  private(set) var cause: (any Error)?
  /// How many tasks there were.
  private(set) var count = 0
  /// How the body begins, for a message.
  private(set) var beginning: [UInt8] = []
  private var scanner = JSONElementScanner()
  private let use: Use
  private var surplus = 0

  private static let longestBeginning = 64 << 10
  /// Read to its end, so that the connection can be used again, if no more than that is left.
  private static let mostSurplus = 1 << 20

  init(_ use: @escaping Use) { self.use = use }

  /// Takes the next bytes. False when there is no use in more.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if beginning.count < Self.longestBeginning {
      beginning.append(contentsOf: bytes.prefix(Self.longestBeginning - beginning.count))
    }
    if problem == nil {
      scanner.append(bytes)
      read()
    } else {
      surplus += bytes.count
    }
    return cause == nil && surplus <= Self.mostSurplus
  }

  /// Wants no more, because of `cause`.
  func abandon(_ cause: any Error) { self.cause = cause }

  /// Says that the body is complete.
  func finish() {
    scanner.finish()
    read()
  }

  /// The error that the list cannot be read. `response`: its head, where it is known.
  func error(_ problem: JSONError, in response: HTTPResponse?, _ request: String) -> TaskAPIError {
    var response = response ?? HTTPResponse(status: 200)
    response.body = beginning
    return TaskAPIError.unexpectedBody(
      response, to: request, expected: "a list of tasks in JSON", reason: count > 0 ? problem.message : nil)
  }

  private func read() {
    guard problem == nil, cause == nil else { return }
    do {
      while let element = try scanner.next() {
        try use(element, scanner)
        count += 1
      }
    } catch let error as JSONError {
      problem = error
    } catch {
      cause = (error as? Abandoned)?.cause ?? error
    }
  }
}

extension JSONElement {
  /// The task that this element is. Throws what is wrong when it is none.
  func task(of scanner: JSONElementScanner) throws(JSONError) -> APITask {
    guard let task = APITask(try scanner.json(self)) else {
      throw placed(JSONError(reason: "element \(number) is no object"))
    }
    return task
  }
}
