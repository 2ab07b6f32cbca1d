import HTTPClient
import HTTPServer
import HostLoop
import JOSE
import Secrets
import Synchronization
import TaskAPI
import TaskImport

/// A server that takes tasks, unless `refuse` has another answer for a text; and what an import needs to reach it.
final class TaskSink: Sendable {
  struct Arrival: Equatable {
    var text: String
    var key: String?
  }

  private final class Memory: Sendable {
    let arrivals = Mutex<[Arrival]>([])
    let added = Mutex<[String]>([])
  }

  private let memory = Memory()
  private let server: HTTPServer

  /// `refuse` is given the text and how often it has come, counting from 1; nil takes it.
  init(refuse: @escaping @Sendable (_ text: String, _ time: Int) -> ServerResponse? = { _, _ in nil }) throws {
    let memory = memory
    server = try HTTPServer { request in
      let text = request.form.first { $0.0 == "Text" }?.1 ?? ""
      let time = memory.arrivals.withLock {
        $0.append(Arrival(text: text, key: request.header("Idempotency-Key")))
        return $0.count { $0.text == text }
      }
      if let answer = refuse(text, time) { return answer }
      memory.added.withLock { $0.append(text) }
      return ServerResponse(status: 201)
    }
  }

  /// Every request, and the texts that were taken, in the order of arrival.
  var arrivals: [Arrival] { memory.arrivals.withLock { $0 } }
  var added: [String] { memory.added.withLock { $0 } }
  var authority: String { "127.0.0.1:\(server.port)" }
  func stop() { server.stop() }

  @HostActor func engine(
    concurrency: Int = 4, retries: Int = 3, honorsIdempotencyKey: Bool = false,
    tokens: any TokenProvider = FixedToken()
  ) throws -> ImportEngine {
    let client = try TaskAPIClient(http: HTTPClient(), tokens: tokens, baseURL: "http://\(authority)")
    return ImportEngine(
      client: client,
      options: ImportOptions(
        concurrency: concurrency, retries: retries, firstDelay: 0.001, longestDelay: 0.01,
        honorsIdempotencyKey: honorsIdempotencyKey))
  }
}

struct FixedToken: TokenProvider {
  func token(afterRejected rejected: Secret?) -> Secret { Secret("good") }
}

/// Rows made here.
@HostActor
final class TextSource: RowSource {
  private let texts: [String]
  private var position = 0
  /// Called before each row with its number.
  var beforeRow: (@HostActor (Int) throws -> Void)?

  nonisolated init(_ texts: [String]) { self.texts = texts }

  func next() async throws -> SourceRecord? {
    guard position < texts.count else { return nil }
    position += 1
    try beforeRow?(position)
    let text = texts[position - 1]
    return SourceRecord(number: position, content: .value(.string(text)), fingerprint: StableHash.of(text))
  }

  func draft(of record: SourceRecord) -> RowDraft {
    guard case .value(let text) = record.content else { return .skipped }
    return RowDraft(TaskDraft(text: text.string ?? ""))
  }

  var bytesRead: Int { position }
  var totalBytes: Int? { texts.count }
}
