import Files
import Foundation
import Synchronization

/// PgBouncer in transaction mode before a server of PostgreSQL, on loopback. It ends with the process of the tests.
package final class PgBouncer: Sendable {
  package let port: Int
  private let folder: String
  private let running = Mutex<(guardian: Process, life: Pipe)?>(nil)

  /// True if it is installed.
  package static let isInstalled = FileSystem.exists("/usr/sbin/pgbouncer")

  package init(_ server: PostgresServer) throws {
    folder = try TemporaryPlace.makeFolder("b2c-pgbouncer-")
    port = try PostgresServer.freePort()
    chmod(folder, 0o755)
    try write("users", "\"\(PostgresServer.user)\" \"\(PostgresServer.password)\"\n")
    try write(
      "pgbouncer.ini",
      """
      [databases]
      * = host=\(server.folder) port=\(server.port)
      [pgbouncer]
      listen_addr = 127.0.0.1
      listen_port = \(port)
      unix_socket_dir =
      auth_type = trust
      auth_file = \(folder)/users
      pool_mode = transaction
      default_pool_size = 8

      """)
    try start()
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func write(_ name: String, _ text: String) throws {
    try OpenFile("\(folder)/\(name)", Opening(O_WRONLY | O_CREAT, mode: 0o644)).write(Array(text.utf8))
  }

  package func start() throws {
    let (guardian, life) = (Process(), Pipe())
    PostgresServer.asOwner(["sh", "-c", Self.script, "pgbouncer", "\(folder)/pgbouncer.ini"], of: guardian)
    guardian.standardInput = life
    guardian.standardOutput = FileHandle.nullDevice
    guardian.standardError = FileHandle.nullDevice
    try guardian.run()
    running.withLock { $0 = (guardian, life) }
  }

  /// Ends it with all its connections, as a crash does.
  package func kill() {
    guard let (guardian, life) = running.withLock({ $0.take() }) else { return }
    try? life.fileHandleForWriting.close()
    guardian.waitUntilExit()
  }

  /// It is killed when the input ends.
  private static let script = """
    pgbouncer -q "$1" &
    cat
    kill -9 $!
    """

  /// The address of a database by PgBouncer.
  package func address(_ database: String) -> String {
    "postgresql://\(PostgresServer.user)@127.0.0.1:\(port)/\(database)?sslmode=disable"
  }
}
