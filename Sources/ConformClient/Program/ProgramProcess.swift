import CLinuxShims
import ChildProcess
import Core
import Crypto
import Files
import Glibc
import HostLoop

/// The way in which a program ended.
package enum ProgramEnd: Sendable, Equatable {
  case status(Int32)
  case signal(Int32)

  var text: String {
    switch self {
    case .status(let status): "exit status \(status)"
    case .signal(let signal): "signal \(signal)"
    }
  }
}

/// A program under test, which can be ended with all processes that it has started.
@HostActor
final class ProgramProcess: DescriptorHandler {
  /// The most bytes of output that are kept.
  private static let mostOutput = 1 << 20

  /// The programs that were started and not ended yet.
  private static var running: Set<pid_t> = []
  /// Seconds for the processes that a program has started to end.
  private static let longestEnd = 5.0

  private let tree: ProcessTree
  private let process: pid_t
  private let handle: Int32
  private let pipe: Int32
  private var bytes: [UInt8] = []
  private var isPipeOpen = true
  private var isReaped = false
  private(set) var end: ProgramEnd?

  /// The standard output and error so far.
  var output: String { String(decoding: bytes, as: UTF8.self) }
  /// True if the program has ended and its output is complete.
  var isOver: Bool { end != nil }

  /// - Throws: `FileFailure` if the system cannot start the program.
  init(_ path: String, _ arguments: [String], environment: [String: String], in folder: String) throws(FileFailure) {
    var ends: [Int32] = [0, 0]
    guard Glibc.pipe(&ends) == 0 else { throw FileFailure(number: errno) }
    defer { close(ends[1]) }
    // A started program has no other descriptors than those that it gets, so no flag has to keep these from it.
    // The program gets no channel to this process.
    let nothing = try OpenFile("/dev/null", Opening(O_RDONLY))
    let mark = SecureRandom.token(16)
    let tree = ProcessTree(mark: mark)
    let environment = environment.merging([ProcessTree.variable: mark]) { $1 }
    let child: ChildProcess
    do throws(FileFailure) {
      child = try ChildProcess(
        path, arguments, environment: environment.map { "\($0.key)=\($0.value)" }, in: folder, output: ends[1],
        channel: nothing.descriptor)
    } catch {
      close(ends[0])
      throw error
    }
    (process, handle, pipe) = (child.id, child.handle, ends[0])
    self.tree = tree
    Self.running.insert(process)
    HostLoop.shared.watch(handle, for: .read, by: self)
    HostLoop.shared.watch(pipe, for: .read, by: self)
  }

  func ready(_ descriptor: Int32, for readiness: Readiness) {
    if descriptor == pipe { return read() }
    HostLoop.shared.unwatch(handle)
    // The program stays a zombie until `stop`: so its number, which is that of its group, belongs to nobody else.
    var info = siginfo_t()
    guard waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT) == 0 else {
      end = .status(-1)
      return
    }
    let status = info._sifields._sigchld.si_status
    end = info.si_code == CLD_EXITED ? .status(status) : .signal(status)
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = Glibc.read(pipe, &buffer, buffer.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    guard count > 0 else { return closePipe() }
    bytes += buffer.prefix(min(count, max(0, Self.mostOutput - bytes.count)))
  }

  private func closePipe() {
    guard isPipeOpen else { return }
    isPipeOpen = false
    HostLoop.shared.unwatch(pipe)
    close(pipe)
  }

  /// Ends the program with its process group and all processes that it has started, and waits for its end.
  func stop() async throws {
    guard !isReaped else { return }
    // The group may outlive the program, so it gets the signal in any case.
    kill(-process, SIGTERM)
    let deadline = HostLoop.uptime + 1
    while end == nil, HostLoop.uptime < deadline { try await HostLoop.shared.sleep(seconds: 0.005) }
    kill(-process, SIGKILL)
    while end == nil { try await HostLoop.shared.sleep(seconds: 0.005) }
    Self.running.remove(process)
    let limit = HostLoop.uptime + Self.longestEnd
    // A process may start others until it gets the signal.
    while !tree.kill(under: process, isLast: Self.running.isEmpty), HostLoop.uptime < limit {
      try await HostLoop.shared.sleep(seconds: 0.005)
    }
    reap()
    closePipe()
  }

  /// Takes the status of the program. From now on, its number may be that of another program.
  private func reap() {
    isReaped = true
    var status: Int32 = 0
    _ = cspawn_wait(handle, &status)
    close(handle)
  }
}
