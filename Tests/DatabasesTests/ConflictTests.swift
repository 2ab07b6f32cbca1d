import Databases
import HostLoop
import Testing

@Suite("Two transactions in each other's way") @HostActor
struct ConflictTests {
  /// Each locks one row and then wants the other one. The server undoes one of them.
  @Test("both happen, one after the other")
  func deadlock() async throws {
    let scratch = try Scratch(.postgresql)
    let (first, second) = (try scratch.connect(), try scratch.connect())
    try await first.execute("CREATE TABLE pair (name TEXT PRIMARY KEY, count BIGINT NOT NULL)")
    try await first.execute("INSERT INTO pair (name, count) VALUES ('a', 0), ('b', 0)")
    let rows = ["a", "b"]
    var waiting = 2
    let met = CancellableWait<Void>()
    let changes = zip([first, second], [rows, rows.reversed()]).map { database, rows in
      HostActor.task {
        try await database.transaction { statements in
          try await statements.execute("UPDATE pair SET count = count + 1 WHERE name = ?", .text(rows[0]))
          waiting -= 1
          if waiting == 0 { met.finish(.success(())) }
          if waiting >= 0 { try await met.value() }
          try await statements.execute("UPDATE pair SET count = count + 1 WHERE name = ?", .text(rows[1]))
        }
      }
    }
    for change in changes { try await change.value }
    #expect(try await first.query("SELECT count FROM pair ORDER BY name").map { $0[0] } == [2, 2])
    // One of them began twice.
    #expect(waiting == -1)
  }
}
