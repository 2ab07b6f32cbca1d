import HTTPClient
import HostLoop
import JOSE

/// Takes a list of tasks apart while it comes in.
@HostActor
final class TaskListReader {
  /// Gets each element of the list, and the scanner that has its bytes. Throws `JSONError` for what is no task.
  typealias Use = @HostActor (JSONElement, JSONElementScanner) throws -> Void

  /// What a `Use` throws to end the exchange.
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

  /// Says that the body is complete.
  func finish() {
    scanner.finish()
    read()
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
