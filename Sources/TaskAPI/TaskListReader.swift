import HTTPClient
import HostLoop
import JSON

/// Takes a list of tasks apart while it comes in.
@HostActor
final class TaskListReader {
  /// Gets each element of the list, and the scanner that has its bytes. Throws `JSONError` for an element that is no task.
  typealias Use = @HostActor (JSONElement, JSONElementScanner) throws -> Void

  /// The error that a `Use` throws to end the exchange.
  struct Abandoned: Error { let cause: any Error }

  private(set) var count = 0
  /// The reason why the list cannot be read; nil while it can.
  private var problem: JSONError?
  /// The reason why nobody reads on.
  private var cause: (any Error)?
  private var beginning: [UInt8] = []
  private var scanner = JSONElementScanner()
  private let use: Use
  private var surplus = 0

  private static let longestBeginning = 64 << 10
  /// A rest of at most this size is read to its end, so that the connection can be used again.
  private static let mostSurplus = 1 << 20

  init(_ use: @escaping Use) { self.use = use }

  /// Takes the next bytes. Returns false if more bytes are of no use.
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

  func abandon(_ cause: any Error) { self.cause = cause }

  /// Reads the end of the complete body. Throws like `check`.
  func finish(_ response: HTTPResponse, _ request: String) throws {
    scanner.finish()
    read()
    try check(response, request)
  }

  /// Throws if the list cannot be read, or if nobody reads on.
  func check(_ response: HTTPResponse?, _ request: String) throws {
    if let problem {
      var response = response ?? HTTPResponse(status: 200)
      response.body = beginning
      throw TaskAPIError.unexpectedBody(
        response, to: request, expected: "a list of tasks in JSON", reason: count > 0 ? problem.message : nil)
    }
    if let cause { throw cause }
  }

  private func read() {
    guard problem == nil, cause == nil else { return }
    do {
      while let element = try scanner.next() {
        try use(element, scanner)
        count += 1
      }
    } catch let error as JSONError { problem = error } catch { cause = (error as? Abandoned)?.cause ?? error }
  }
}

extension JSONElement {
  /// The task that this element is. Throws the reason if it is no task.
  func task(of scanner: JSONElementScanner) throws(JSONError) -> APITask {
    guard let task = APITask(try scanner.json(self)) else {
      throw placed(JSONError(reason: "element \(number) is not an object"))
    }
    return task
  }
}
