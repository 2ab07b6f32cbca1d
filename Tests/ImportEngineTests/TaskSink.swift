import Core
import Files
import Glibc
import HTTPClient
import HTTPServer
import HostLoop
import ImportEngine
import ImportFormats
import ImportJournal
import JSON
import Synchronization
import TaskAPI
import TestSupport

/// A server that takes tasks, unless `refuse` has another answer for a text, and lists them; and what an import needs to
/// reach it.
final class TaskSink: Sendable {
  struct Arrival: Equatable {
    var text: String
    var key: String?
    /// The ID of the parent's task.
    var parent: Int?
    /// The ID of the task, which no other one ever gets; 0 for a request.
    var id = 0
  }

  /// The kind of the server.
  enum Kind: Sendable, Equatable {
    case plain
    /// Takes requests with one key for one, and says so.
    case keyed
    /// Shows its 20 oldest tasks only.
    case cut
    /// Shows all tasks, in the dialect of the servers that show 20.
    case node
    /// Shows so many of its oldest tasks only.
    case shows(Int)
    /// Has no list.
    case listless
  }

  /// The deviations of the server from the usual behavior.
  struct Habits: Sendable {
    /// The text that is kept.
    var keeps: @Sendable (String) -> String = { $0 }
    /// Another answer to the list, asked for the n-th time.
    var list: @Sendable (Int) -> ServerResponse? = { _ in nil }
    /// Another answer to a task that was taken, by its text and how often it has come.
    var after: @Sendable (_ text: String, _ time: Int) -> ServerResponse? = { _, _ in nil }
  }

  private final class Memory: Sendable {
    let arrivals = Mutex<[Arrival]>([])
    let added = Mutex<[Arrival]>([])
    let lists = Mutex(0)
  }

  private let memory = Memory()
  private let server: HTTPServer
  private let held = Mutex<Int32>(-1)

  /// `refuse` is given the text and how often it has come, counting from 1; nil takes it. An answer that is dropped after
  /// the task was taken has the status 201.
  init(
    _ kind: Kind = .plain, tasks: [String] = [], habits: Habits = Habits(),
    refuse: @escaping @Sendable (_ text: String, _ time: Int) -> ServerResponse? = { _, _ in nil }
  ) throws {
    let memory = memory
    memory.added.withLock { $0 = tasks.enumerated().map { Arrival(text: $1, id: $0 + 1) } }
    server = try HTTPServer { request in
      if request.method == "GET" {
        let time = memory.lists.withLock {
          $0 += 1
          return $0
        }
        return habits.list(time) ?? Self.list(kind, memory.added.withLock { $0 })
      }
      let text = request.form.first { $0.0 == "Text" }?.1 ?? ""
      let parent = request.form.first { $0.0 == "Parent" }.flatMap { Int($0.1) }
      let arrival = Arrival(text: text, key: request.header("Idempotency-Key"), parent: parent)
      let time = memory.arrivals.withLock {
        $0.append(arrival)
        return $0.count { $0.text == text }
      }
      let answer = refuse(text, time)
      if let answer, answer.status != 201 { return answer }
      let number = memory.added.withLock { added in
        if kind == .keyed, let key = arrival.key, let known = added.first(where: { $0.key == key }) { return known.id }
        let id = (added.last?.id ?? 0) + 1
        added.append(Arrival(text: habits.keeps(arrival.text), key: arrival.key, parent: parent, id: id))
        return id
      }
      var created = Self.created(kind, number, arrival)
      // A delay alone is not another answer.
      if let answer, answer.drop == nil, answer.body.isEmpty { created.delay = answer.delay }
      let given = answer.flatMap { $0.drop == nil && $0.body.isEmpty ? nil : $0 }
      return habits.after(text, time) ?? given ?? created
    }
  }

  private static func created(_ kind: Kind, _ number: Int, _ arrival: Arrival) -> ServerResponse {
    var headers: [(String, String)] = []
    if kind == .keyed, let key = arrival.key { headers = [("Idempotency-Key", key)] }
    let parent = arrival.parent.map { #", "Parent": "\#($0)""# } ?? ""
    return ServerResponse(
      status: 201, headers: headers, text: #"{"Id": \#(number)\#(parent)}"#, type: "application/json")
  }

  private static func list(_ kind: Kind, _ added: [Arrival]) -> ServerResponse {
    if kind == .listless { return ServerResponse(status: 404) }
    let tasks = added.enumerated().map { number, task in
      kind == .cut || kind == .node
        ? JSON.object(["_id": .string("a\(number)"), "owner": "bob", "Text": .string(task.text)])
        : JSON.object(["Id": .integer(Int64(task.id)), "Text": .string(task.text)])
    }
    let shown =
      switch kind {
      case .cut: 20
      case .shows(let most): most
      default: tasks.count
      }
    return ServerResponse(status: 200, text: JSON.array(Array(tasks.prefix(shown))).encoded(), type: "application/json")
  }

  /// Every request for a task, and the texts that were taken, in the order of arrival.
  var arrivals: [Arrival] { memory.arrivals.withLock { $0 } }
  var added: [String] { memory.added.withLock { $0.map(\.text) } }
  /// Each task that was taken, with the text of its parent: `child < parent`.
  var tree: [String] {
    memory.added.withLock { tasks in
      let texts = Dictionary(uniqueKeysWithValues: tasks.map { ($0.id, $0.text) })
      return tasks.map { task in task.parent.map { "\(task.text) < \(texts[$0] ?? "?")" } ?? task.text }
    }
  }
  var authority: String { "127.0.0.1:\(server.port)" }
  /// From now on nobody answers. The port stays taken, so that no other test's server gets it.
  func stop() {
    server.stop()
    held.withLock { $0 = (try? LoopbackSocket.bound(to: server.port).descriptor) ?? -1 }
  }

  deinit { held.withLock { if $0 >= 0 { close($0) } } }

  /// Somebody else removes a task.
  func forget(_ text: String) { memory.added.withLock { $0.removeAll { $0.text == text } } }

  @HostActor func engine(
    concurrency: Int = 4, retries: Int = 3, journal: ImportJournal? = nil, tokens: any TokenProvider = FixedToken(),
    _ change: (inout ImportOptions) -> Void = { _ in }
  ) async throws -> ImportEngine {
    let client = try TaskAPIClient(http: HTTPClient(), tokens: tokens, baseURL: "http://\(authority)")
    var options = ImportOptions()
    options.concurrency = concurrency...concurrency
    options.retries = retries
    options.delays.first = 0.001
    options.delays.longest = 0.01
    options.delays.settling = 0
    change(&options)
    let memory = if let journal { journal } else { try await ImportJournal.inMemory(Self.identity) }
    return ImportEngine(service: client, journal: memory, options: options)
  }

  static let identity = ImportIdentity(
    source: "/home/alice/tasks.csv", account: "alice", accountName: "alice", api: "http://localhost")
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
  /// The rows that a task was made of.
  private(set) var drafted: [Int] = []

  nonisolated init(_ texts: [String]) { self.texts = texts }

  func next() async throws -> SourceRecord? {
    guard position < texts.count else { return nil }
    position += 1
    try beforeRow?(position)
    let text = texts[position - 1]
    return SourceRecord(number: position, content: .value(.string(text)), fingerprint: StableHash.of(text))
  }

  func draft(of record: SourceRecord) -> RowDraft {
    drafted.append(record.number)
    guard case .value(let text) = record.content else { return .skipped }
    return RowDraft(TaskDraft(text: text.string ?? ""))
  }

  var bytesRead: Int { position }
  var totalBytes: Int? { texts.count }
}

extension ImportJournal {
  static func open(_ identity: ImportIdentity, file: String) async throws(ImportError) -> ImportJournal {
    try await open(identity, file: OutputPlace(file))
  }
}
