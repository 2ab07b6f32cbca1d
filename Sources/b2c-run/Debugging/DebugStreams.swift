import Automation
import Core
import Files
import Glibc
import HTTPServer
import HostLoop
import Lua
import Terminal

/// The descriptors of a debugger: those of its client, and standard output and standard error, which go to the client while
/// the script runs.
final class DebugStreams: Sendable {
  /// The descriptors of the requests and of the responses.
  let input: CInt
  let output: CInt
  private let kept: [(descriptor: CInt, copy: CInt)]
  private let readers = Locked<[pthread_t]>([])

  /// - Parameter isOutputTaken: standard output is the client's: later text for it goes nowhere.
  private init(input: CInt, output: CInt, isOutputTaken: Bool) throws {
    self.input = input
    self.output = output
    let outputCopy =
      isOutputTaken
      ? try OpenFile("/dev/null", Opening(O_WRONLY)).duplicate() : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    kept = [(STDOUT_FILENO, outputCopy), (STDERR_FILENO, fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3))]
  }

  /// - Parameter port: the port to wait on for a client; nil: the client is on standard input and output.
  @HostActor
  static func open(port: UInt16?, _ console: Console) async throws -> DebugStreams {
    if let port {
      let connection = try await accept(port, console)
      return try DebugStreams(input: connection, output: connection, isOutputTaken: false)
    }
    let (input, output) = (fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3))
    guard input >= 0, output >= 0 else {
      throw LuaError(
        code: "no_descriptor",
        message: "debug: cannot keep standard input and output: \(String(cString: strerror(errno)))")
    }
    let nothing = try OpenFile("/dev/null", Opening(O_RDONLY)).duplicate()
    dup2(nothing, STDIN_FILENO)
    close(nothing)
    return try DebugStreams(input: input, output: output, isOutputTaken: true)
  }

  /// Waits for the first client of this user. Later ones get a message that there is one already. Whoever debugs a script runs
  /// code as this user, so that other users of the machine are refused.
  @HostActor
  private static func accept(_ port: UInt16, _ console: Console) async throws -> CInt {
    let (listener, port) = try ListenAddress(parsing: "127.0.0.1:\(port)").listen()
    console.write("b2c-run: waiting for a client of the Debug Adapter Protocol on 127.0.0.1:\(port)")
    let wait = CancellableWait<CInt>()
    let hasThread = SystemThread.start {
      var isFirst = true
      while true {
        let connection = Glibc.accept(listener, nil, nil)
        if connection < 0 { continue }
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        let user = PeerUser.of(connection)
        guard let user, [geteuid(), 0].contains(user) else {
          refuse(connection, "another user started this debugger; connect as this user")
          HostActor.task {
            let name = user.map { "the user \($0)" } ?? "an unknown user"
            console.log(.warn, "debug: refused a connection of \(name)")
          }
          continue
        }
        if isFirst {
          isFirst = false
          HostActor.task { wait.finish(.success(connection)) }
        } else {
          refuse(connection, "another client debugs this script already")
        }
      }
    }
    guard hasThread != nil else { throw LuaError(code: "no_thread", message: "debug: the system has no thread left") }
    return try await wait.value()
  }

  /// - Parameter reason: without characters that JSON escapes.
  private static func refuse(_ connection: CInt, _ reason: String) {
    let body =
      #"{"seq":1,"type":"event","event":"output","body":{"category":"important","output":"#
      + #""b2c-run: \#(reason)\n"}}"#
    let end = #"{"seq":2,"type":"event","event":"terminated"}"#
    let text = [body, end].map { "Content-Length: \($0.utf8.count)\r\n\r\n\($0)" }.joined()
    // A client that does not wait for the answer does not need it.
    do { try OpenFile.write(Array(text.utf8), to: connection) } catch {
      close(connection)
      return
    }
    close(connection)
  }

  /// Has what is written to standard output and standard error go to `send`, with the category of the protocol.
  func redirect(_ send: @escaping @Sendable (String, String) -> Void) throws {
    StandardOutput.flushLines()
    for (descriptor, category) in [(STDOUT_FILENO, "stdout"), (STDERR_FILENO, "stderr")] {
      var ends: [CInt] = [0, 0]
      guard pipe(&ends) == 0 else {
        throw LuaError(code: "no_descriptor", message: "debug: no pipe: \(String(cString: strerror(errno)))")
      }
      let (source, target) = (ends[0], ends[1])
      _ = fcntl(source, F_SETFD, FD_CLOEXEC)
      dup2(target, descriptor)
      close(target)
      let reader = SystemThread.start(isDetached: false) { Self.pass(source, category, send) }
      if let reader { readers.withLock { $0.append(reader) } }
    }
  }

  /// Passes on whole characters.
  private static func pass(_ source: CInt, _ category: String, _ send: (String, String) -> Void) {
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    var pending: [UInt8] = []
    while true {
      let count = read(source, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      pending += bytes.prefix(count)
      // The first byte of a character whose other bytes have not come yet.
      let cut = pending.suffix(3).lastIndex { $0 >= 0xC0 } ?? pending.endIndex
      let whole = String(validating: pending, as: UTF8.self) != nil ? pending.endIndex : cut
      if whole > 0 { send(String(decoding: pending[..<whole], as: UTF8.self), category) }
      pending.removeFirst(whole)
    }
    if !pending.isEmpty { send(String(decoding: pending, as: UTF8.self), category) }
    close(source)
  }

  /// Gives the streams back, once everything that was written has been passed on.
  func restore() {
    StandardOutput.flush()
    for (descriptor, copy) in kept { dup2(copy, descriptor) }
    let waiting = readers.withLock { readers in
      defer { readers = [] }
      return readers
    }
    for reader in waiting { pthread_join(reader, nil) }
  }
}
