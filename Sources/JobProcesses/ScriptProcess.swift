import CLinuxShims
import ChildProcess
import Core
import Files
import Glibc
package import HostLoop
package import JSON
package import Jobs

/// A process that runs a script for a job host, or tests.
@HostActor
package final class ScriptProcess: RunProcess, DescriptorHandler {
  package let identity: ProcessIdentity
  private let handle: Int32
  private var pipe: MessagePipe?
  private let onEnd: @HostActor (ProcessEnd) -> Void
  private let isOwn: Bool

  /// Starts a program that gets `context` and waits for `go`.
  /// - Parameters:
  ///   - folder: its current folder.
  ///   - output: a descriptor for its standard output and error; nil for those of this process, and its input and terminal.
  /// - Throws: `JobError` if the system cannot start it.
  package init(
    _ program: String, _ arguments: [String], environment: [String], in folder: String, output: Int32?, context: JSON?,
    onMessage: @escaping @HostActor (JSON) -> Void, onEnd: @escaping @HostActor (ProcessEnd) -> Void
  ) throws(JobError) {
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw Self.failure("socketpair", errno)
    }
    defer { close(ends[1]) }
    let memory = try context.map { context throws(JobError) in try Self.memory(context) } ?? -1
    defer { if memory >= 0 { close(memory) } }
    let child: ChildProcess
    do throws(FileFailure) {
      child = try ChildProcess(
        program, arguments, environment: environment, in: folder, output: output ?? -1, channel: ends[1],
        memory: memory)
    } catch {
      close(ends[0])
      throw Self.failure(program, error.number)
    }
    identity = ProcessIdentity(id: child.id, boot: HostName.bootID, start: Self.startTime(of: child.id) ?? 0)
    handle = child.handle
    self.onEnd = onEnd
    isOwn = true
    pipe = MessagePipe(ends[0], onMessage: onMessage)
    HostLoop.shared.watch(handle, for: .read, by: self)
  }

  /// The process of an earlier host, if it goes on.
  init?(adopting identity: ProcessIdentity, onEnd: @escaping @HostActor (ProcessEnd) -> Void) {
    guard identity.boot == HostName.bootID, Self.isOfThisProgram(identity.id) else { return nil }
    let handle = cspawn_handle(identity.id)
    guard handle >= 0 else { return nil }
    // The descriptor keeps the number from being used again, so it is compared now.
    guard Self.startTime(of: identity.id) == identity.start else {
      close(handle)
      return nil
    }
    self.identity = identity
    self.handle = handle
    self.onEnd = onEnd
    isOwn = false
    HostLoop.shared.watch(handle, for: .read, by: self)
  }

  package func go() { pipe?.send(RunReply.go.json) }

  package func reply(_ reply: RunReply) { pipe?.send(reply.json) }

  /// Sends a message of another kind, as tests do.
  package func send(_ message: JSON) { pipe?.send(message) }

  package func stop(kill: Bool) { Glibc.kill(identity.id, kill ? SIGKILL : SIGTERM) }

  package func ready(_ descriptor: Int32, for readiness: Readiness) {
    HostLoop.shared.unwatch(handle)
    // Its last messages may still be in the socket.
    pipe?.finish()
    pipe = nil
    var status: Int32 = 0
    let end: ProcessEnd =
      !isOwn || cspawn_wait(handle, &status) != 0 ? .unknown : status < 0 ? .signal(-status) : .status(status)
    close(handle)
    onEnd(end)
  }

  private static func failure(_ name: String, _ number: Int32) -> JobError {
    JobError("start_failed", "cannot start \(name): \(String(cString: strerror(number)))")
  }

  /// A descriptor of the JSON text, at its beginning.
  private static func memory(_ context: JSON) throws(JobError) -> Int32 {
    let descriptor = cspawn_memory()
    guard descriptor >= 0 else { throw failure("memfd_create", errno) }
    var bytes = Array(context.encoded().utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else {
        let number = errno
        close(descriptor)
        throw failure("memfd_create", number)
      }
      bytes = bytes.dropFirst(count)
    }
    lseek(descriptor, 0, SEEK_SET)
    return descriptor
  }

  /// True for another process of this program. The number is that of the database, and nothing else may be ended.
  private static func isOfThisProgram(_ process: Int32) -> Bool {
    guard process != getpid(), let other = FileSystem.status(of: "/proc/\(process)/exe"),
      let own = FileSystem.status(of: "/proc/self/exe")
    else { return false }
    return other.st_dev == own.st_dev && other.st_ino == own.st_ino
  }

  /// The start of a process in clock ticks since the boot; nil if there is no such process.
  private static func startTime(of process: Int32) -> Int64? {
    guard let bytes = try? FileSystem.contents(of: "/proc/\(process)/stat"),
      // The name, in parentheses, may contain any characters.
      let end = bytes.lastIndex(of: UInt8(ascii: ")"))
    else { return nil }
    let fields = bytes[bytes.index(after: end)...].split(separator: UInt8(ascii: " "))
    // A zombie has ended.
    guard fields.count > 19, fields[0] != [UInt8(ascii: "Z")] else { return nil }
    return Int64(String(decoding: fields[19], as: UTF8.self))
  }
}
