import Core
import Files
import Glibc
import HostLoop
import JSON
import JobProcesses
import Jobs
import Permissions

/// A process that runs a tool, with what it writes. It ends at its limits of time and output, and when nobody waits any more.
@HostActor
final class ToolProcess: DescriptorHandler {
  struct Output: Sendable {
    /// UTF-8, without the bytes behind the limit.
    var text: String
    var status: Int32
  }

  /// The exit status of a program whose rows were carried out in part.
  static let leftRows: Int32 = 5

  private let limits: ToolLimits
  private let input: Int32
  private var bytes: [UInt8] = []
  private var isTooLong = false
  private var isTooLate = false
  private var process: ScriptProcess?
  private let end = CancellableWait<ProcessEnd>()

  /// - Parameters:
  ///   - arguments: the options, the script or the command, and its words.
  ///   - purpose: the task of the process.
  ///   - sources: the code that the process may run; nil for any.
  ///   - onMessage: gets what the process says by its connection.
  init(
    _ program: ToolProgram, _ arguments: [String], in folder: String, _ limits: ToolLimits,
    purpose: RunLink.Purpose = .tool, sources: SealedSources? = nil,
    onMessage: @escaping @HostActor (JSON) -> Void = { _ in }
  ) throws {
    self.limits = limits
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else {
      throw ToolError("start_failed", "cannot make a pipe: \(String(cString: strerror(errno)))")
    }
    input = ends[0]
    defer { close(ends[1]) }
    // The process writes as usual; only this side may not wait.
    _ = fcntl(input, F_SETFL, O_NONBLOCK)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let end = end
    do {
      // A `--memory` of the server, which comes later, counts instead.
      process = try ScriptProcess(
        program.path, ["--memory", limits.memory] + program.arguments + ["--no-prompt"] + arguments,
        environment: program.environment + ["\(RunLink.variable)=\(purpose.rawValue)"], in: folder, output: ends[1],
        context: purpose == .tool ? sources?.json ?? .null : nil, onMessage: onMessage,
        onEnd: { _ = end.finish(.success($0)) })
    } catch {
      close(input)
      throw error
    }
    HostLoop.shared.watch(input, for: .read, by: self)
  }

  /// Lets the process begin, and waits for its end. Throws for a call that reached a limit.
  func run() async throws -> Output {
    defer { finish() }
    process?.go()
    let limit = HostLoop.shared.schedule(after: limits.seconds) { [weak self] in
      self?.isTooLate = true
      self?.kill()
    }
    defer { HostLoop.shared.cancel(limit) }
    let end = try await end.value()
    // Its last bytes may still be in the pipe.
    while read() {}
    if isTooLate {
      throw ToolError("too_late", "the call took longer than \(UnixTime.span(limits.seconds)), and was stopped")
    }
    if isTooLong {
      throw ToolError(
        "too_long", "the call wrote more than \(limits.bytes >> 10) KiB, and was stopped", hint: "ask for less")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    switch end {
    case .status(let status): return Output(text: text, status: status)
    case .signal(let number): throw ToolError("crashed", "the call ended by the signal \(number)")
    case .unknown: throw ToolError("crashed", "nobody knows how the call ended")
    }
  }

  func ready(_ descriptor: Int32, for readiness: Readiness) { _ = read() }

  /// Returns whether there was something.
  private func read() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = Glibc.read(input, &buffer, buffer.count)
    if count < 0 { return false }
    if count == 0 {
      HostLoop.shared.unwatch(input)
      return false
    }
    if bytes.count + count > limits.bytes {
      isTooLong = true
      kill()
      return false
    }
    bytes += buffer[..<count]
    return true
  }

  /// Ends the process and those that it has started: they are one group.
  private func kill() {
    guard let process else { return }
    process.stop(kill: true)
    Glibc.kill(-process.identity.id, SIGKILL)
  }

  private func finish() {
    kill()
    process = nil
    HostLoop.shared.unwatch(input)
    close(input)
  }
}
