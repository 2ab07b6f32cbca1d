import CPQShims
import DatabaseAddress
import Glibc
import HostLoop

/// Owns the memory of a connection.
final class PostgresHandle: @unchecked Sendable {
  // Unchecked: one thread uses it at a time. The connecting thread hands it over.
  let connection: OpaquePointer
  private var isFinished = false

  init(_ connection: OpaquePointer) { self.connection = connection }
  deinit { finish() }

  /// Says goodbye to the server, and frees the memory.
  func finish() {
    if !isFinished { cpq_finish(connection) }
    isFinished = true
  }
}

/// A connection that is being made, by a thread of its own: looking up the name of a host blocks. libpq limits the silence
/// of a server alone. A server that always says a little more, or that asks for hours of computing (the iterations of SCRAM
/// are its choice), is cut off after a time.
@HostActor
final class PostgresAttempt {
  private let address: PostgresAddress
  private let patience: Double
  private let begun = Locked<PostgresHandle?>(nil)
  private let wait = CancellableWait<PostgresHandle?>()
  private var timer: TimerQueue.ID?
  private var isDone = false

  /// The addresses whose attempt goes on after it was cut off. Nobody can end the computing of libpq, so that no further
  /// attempt begins meanwhile.
  private static var overdue: Set<String> = []

  /// - Parameter patience: the seconds that a server may talk, besides those of silence.
  init(_ address: PostgresAddress, patience: Double) {
    self.address = address
    self.patience = patience
  }

  /// Waits for the end of the attempt, which may be a refusal. A canceled task does not wait for it.
  func connect() async throws -> PostgresHandle {
    guard !Self.overdue.contains(address.text) else { throw late }
    let (address, begun) = (address, begun)
    let isStarted = SystemThread.start {
      let handle = Self.withParameters(address.text) { cpq_begin($0, $1) }.map { PostgresHandle($0) }
      begun.withLock { $0 = handle }
      if let handle { cpq_connect(handle.connection) }
      HostActor.task { self.end(handle) }
    }
    guard isStarted != nil else {
      throw PostgresError(.other, "the system has no thread left to connect to \(address.shown)", place: address.shown)
    }
    timer = address.connectingTime.map { HostLoop.shared.schedule(after: $0 + patience) { self.cutOff() } }
    guard let handle = try await wait.value() else {
      throw PostgresError(.other, "there is no memory to connect to \(address.shown)", place: address.shown)
    }
    return handle
  }

  private func end(_ handle: PostgresHandle?) {
    isDone = true
    if let timer { HostLoop.shared.cancel(timer) }
    Self.overdue.remove(address.text)
    wait.finish(.success(handle))
  }

  private func cutOff() {
    guard !isDone else { return }
    Self.overdue.insert(address.text)
    wait.finish(.failure(late))
    HostActor.task { [self] in
      // libpq goes on with the next server of the address.
      while !isDone {
        begun.withLock { if let handle = $0 { cpq_cut_off(handle.connection) } }
        try await HostLoop.shared.sleep(seconds: 1)
      }
    }
  }

  private var late: PostgresError {
    PostgresError(
      .unreachable, "cannot connect to \(address.shown): the server does not come to an end",
      hint: "see whether that is a PostgreSQL server, and what it logs", place: address.shown)
  }

  /// Unless the address says otherwise: the primary of several hosts, a dead host found out within seconds.
  private nonisolated static func withParameters<R>(
    _ address: String,
    _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> R
  ) -> R {
    let parameters = [
      ("fallback_application_name", "b2c-run"), ("connect_timeout", "10"), ("keepalives_idle", "10"),
      ("keepalives_interval", "5"), ("keepalives_count", "2"),
      ("tcp_user_timeout", "\(Int(PostgresConnection.patience) * 1000)"),
      ("target_session_attrs", "read-write"), ("gssencmode", "disable"), ("client_encoding", "UTF8"),
      // The last: later values win, and the address is to win.
      ("dbname", address),
    ]
    let keywords = parameters.map { strdup($0.0) } + [nil]
    let values = parameters.map { strdup($0.1) } + [nil]
    defer { for text in keywords + values { free(text) } }
    return keywords.map { UnsafePointer($0) }.withUnsafeBufferPointer { keywords in
      values.map { UnsafePointer($0) }.withUnsafeBufferPointer { values in
        body(keywords.baseAddress!, values.baseAddress!)
      }
    }
  }
}
