import Files
import Foundation

/// A PostgreSQL server for tests, on loopback with TLS, in a temporary folder. It ends with the process of the tests,
/// however that ends.
package final class PostgresServer: Sendable {
  /// The server of this process, made when a test first asks for it. Each test makes a database of its own there.
  package static var shared: PostgresServer { get throws { try made.get() } }
  private static let made = Result { try PostgresServer() }

  /// The role that owns all databases, and its password.
  package static let (user, password) = ("tests", "Wonderland-1")

  package let port: Int
  /// The server's folder, with its socket, `data`, the certificate `server.crt` and the log `log`.
  package let folder: String
  private let programs: String
  /// The guardian ends the server when its input does.
  private let guardian: Process
  private let life: Pipe

  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// - Parameters:
  ///   - options: settings of the server, such as `max_connections=10`.
  ///   - source: a server to be the standby of.
  ///   - disk: the size of a small disk for databases, such as `16m`. It needs root; see `makeDatabase`.
  package init(options: [String] = [], standbyOf source: PostgresServer? = nil, disk: String? = nil) throws {
    guard let programs = Self.programsFolder else {
      throw Failure(description: "no /usr/lib/postgresql/*/bin/initdb; install the package postgresql")
    }
    self.programs = programs
    folder = try TemporaryPlace.makeFolder("b2c-postgres-")
    port = try Self.freePort()
    life = Pipe()
    guardian = Process()
    let all =
      ["listen_addresses=127.0.0.1", "fsync=off", "max_connections=400", "ssl=on", "log_min_messages=log"] + options
    try OpenFile("\(folder)/password", Opening(O_WRONLY | O_CREAT, mode: 0o644)).write(Array(Self.password.utf8))
    chmod(folder, 0o755)
    if getuid() == 0, let owner = getpwnam("postgres") { chown(folder, owner.pointee.pw_uid, owner.pointee.pw_gid) }
    let said = Pipe()
    let command =
      ["sh", "-c", Self.script, "postgres", folder, programs, String(port), source.map { String($0.port) } ?? ""]
      + all.flatMap { ["-c", $0] }
    Self.asOwner(command, of: guardian)
    if let disk, let arguments = guardian.arguments {
      try FileSystem.makeFolder("\(folder)/disk", mode: 0o755)
      guardian.arguments = ["unshare", "-m", "sh", "-c", Self.mount, "mount", disk, "\(folder)/disk"] + arguments
    }
    guardian.standardInput = life
    guardian.standardOutput = said
    guardian.standardError = said
    try guardian.run()
    try said.fileHandleForWriting.close()
    let text = String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    guard text.hasSuffix("ready\n") else { throw Failure(description: "PostgreSQL does not start: \(text)") }
  }

  deinit { try? life.fileHandleForWriting.close() }

  /// The arguments are the size, the folder, and the command that runs with the disk, which nobody else sees.
  private static let mount = """
    mount -t tmpfs -o size=$1,mode=700,uid=postgres,gid=postgres none "$2" || exit
    shift 2
    exec "$@"
    """

  /// The arguments are the folder, the programs' folder, the port, the port of a primary, and the options.
  private static let script = """
    folder=$1 programs=$2 port=$3 primary=$4
    shift 4
    end() {
      "$programs/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1
      rm -rf "$folder"
    }
    trap end EXIT
    cd "$folder"
    if [ -z "$primary" ]; then
      timeout 60 "$programs/initdb" -D data -U tests --pwfile=password -A scram-sha-256 --auth-local=trust \\
        -E UTF8 --locale=C --no-sync >log 2>&1 || { cat log; exit 1; }
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \\
        -addext subjectAltName=DNS:localhost -keyout data/server.key -out data/server.crt 2>log || { cat log; exit 1; }
      cp data/server.crt server.crt
    else
      PGPASSWORD=$(cat password) timeout 60 "$programs/pg_basebackup" -h 127.0.0.1 -p "$primary" -U tests -D data \\
        -R -X stream -c fast --no-sync >log 2>&1 || { cat log; exit 1; }
    fi
    for option do printf '%s\\n' "$option"; done | sed -n "s/^\\([a-z_]*\\)=\\(.*\\)$/\\1 = '\\2'/p" >>data/postgresql.conf
    printf "port = %s\\nunix_socket_directories = '%s'\\n" "$port" "$folder" >>data/postgresql.conf
    "$programs/pg_ctl" -D data -w -t 30 -l log start >/dev/null 2>&1 </dev/null || { cat log; exit 1; }
    echo ready
    exec >/dev/null 2>&1
    cat
    """

  /// The newest installed version's programs.
  private static var programsFolder: String? {
    let names = (try? FileSystem.names(in: "/usr/lib/postgresql")) ?? []
    let folders = names.compactMap { Int($0) }.sorted().reversed().map { "/usr/lib/postgresql/\($0)/bin" }
    return folders.first { FileSystem.exists("\($0)/initdb") }
  }

  /// PostgreSQL does not run as root.
  static func asOwner(_ command: [String], of process: Process) {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let owner = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    process.arguments = (getuid() == 0 ? owner : []) + command
    process.environment = ["PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C"]
  }

  static func freePort() throws -> Int {
    let bound = try LoopbackSocket.bound()
    close(bound.descriptor)
    return Int(bound.port)
  }

  // MARK: Use

  /// Makes an empty database. Returns its name.
  /// - Parameter isOnDisk: the tables are on the small disk.
  package func makeDatabase(onDisk isOnDisk: Bool = false) throws -> String {
    let name = "test_\(UUID().uuidString.lowercased().filter { $0 != "-" }.prefix(12))"
    if isOnDisk { try sql("CREATE TABLESPACE disk LOCATION '\(folder)/disk'") }
    try sql("CREATE DATABASE \(name)" + (isOnDisk ? " TABLESPACE disk" : ""))
    return name
  }

  /// Fills the small disk, or makes room again. The server does it, because only it sees the disk.
  /// - Parameter room: the room that is left, such as `2M`.
  package func setDisk(full isFull: Bool, leaving room: String = "0") throws {
    let file = "\(folder)/disk/filled"
    let command = isFull ? "dd if=/dev/zero of=\(file) bs=4k 2>/dev/null; truncate -s -\(room) \(file)" : "rm \(file)"
    try sql("COPY (SELECT 1) TO PROGRAM 'cat >/dev/null; \(command)'")
  }

  /// True if this process may mount disks.
  package static let mayMount = getuid() == 0 && system("unshare -m mount -t tmpfs none /mnt") == 0

  /// The address of a database by the socket, for which no password is needed.
  package func address(_ database: String, user: String = PostgresServer.user) -> String {
    "postgresql://\(user)@\(folder.replacing("/", with: "%2F")):\(port)/\(database)"
  }

  /// The address of a database by TCP, for which the server wants a password.
  package func networkAddress(_ database: String, user: String = PostgresServer.user, parameters: String = "") -> String
  {
    "postgresql://\(user)@127.0.0.1:\(port)/\(database)\(parameters)"
  }

  /// A line of a password file for this server.
  package var passwordLine: String { "127.0.0.1:\(port):*:\(Self.user):\(Self.password)\n" }

  /// Runs statements with psql. Returns what it prints: a line for each row, with `|` between columns.
  @discardableResult
  package func sql(_ text: String, in database: String = "postgres") throws -> String {
    try tool(["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", address(database), "-c", text])
  }

  /// Stops the server as a crash does.
  package func crash() throws { try tool(["pg_ctl", "-D", "\(folder)/data", "-m", "immediate", "-w", "stop"]) }

  package func start() throws {
    // Foundation waits until nobody has the descriptor that it gave to the process. The server would keep it.
    let script = """
      for file in /proc/self/fd/*; do
        number=${file##*/}
        [ "$number" -le 2 ] || eval "exec $number>&-"
      done
      exec "$0" -D "$1/data" -w -t 30 -l "$1/log" start
      """
    try tool(["/bin/bash", "-c", script, "\(programs)/pg_ctl", folder])
  }

  /// Runs one of PostgreSQL's programs. Returns its output.
  @discardableResult
  package func tool(_ command: [String]) throws -> String {
    let process = Process()
    Self.asOwner(
      ["timeout", "60", command[0].hasPrefix("/") ? command[0] : "\(programs)/\(command[0])"] + command.dropFirst(),
      of: process)
    // A server that is started keeps its output open: a file does not make this wait.
    let output = "\(folder)/output-\(UUID().uuidString)"
    let file = try OpenFile(output, Opening(O_RDWR | O_CREAT, mode: 0o600))
    let handle = FileHandle(fileDescriptor: dup(file.descriptor), closeOnDealloc: true)
    defer { unlink(output) }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = handle
    process.standardError = handle
    try process.run()
    process.waitUntilExit()
    try handle.seek(toOffset: 0)
    let text = String(decoding: handle.readDataToEndOfFile(), as: UTF8.self)
    guard process.terminationStatus == 0 else {
      throw Failure(description: "\(command[0]) failed with \(process.terminationStatus): \(text)")
    }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
