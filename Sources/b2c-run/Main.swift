import Automation
import CLinuxShims
import Core
import Files
import Glibc
import HostLoop
import Jobs
import Lua
import LuaBindings
import PostgreSQL
import TestRunner

@main
struct Main {
  /// The command runs on the host's thread; this one waits for signals and for the time limit.
  static func main() {
    keepMemoryPrivate()
    var invocation: Invocation
    do {
      invocation = try Invocation(parsing: Array(CommandLine.arguments.dropFirst()))
      try invocation.holdByKernel()
    } catch {
      let failure = LuaError(error)
      say("b2c-run: \(failure.message)\n" + (failure.hint.map { "  hint: \($0)\n" } ?? ""))
      exit(ExitStatus.usage.rawValue)
    }
    invocation.jobPurpose = RunLink.purpose()
    invocation.test.isWorker = TestDesk.isWanted()
    if invocation.test.isWorker { invocation.isWatching = false }
    // The output of a script takes the place of the progress line.
    StandardOutput.beforeWritingToScreen { Console.clearProgress() }
    let interrupts = Interrupts(timeout: invocation.processTimeout, memoryLimit: invocation.configuration.memoryLimit)
    let run = HostActor.task { [invocation] in
      let status = await invocation.run { interrupts.reason }
      if interrupts.reason == .limit, let seconds = invocation.timeout {
        say("b2c-run: stopped after \(Int64(exactly: seconds).map(String.init) ?? "\(seconds)") s (--timeout)\n")
      }
      let end = interrupts.reason ?? finish(status)
      PostgresConnection.endAll()
      exit(end.rawValue)
    }
    interrupts.wait { run.cancel() }
  }

  /// Keeps tokens and keys out of core dumps and away from other processes of the same user: only root may trace the
  /// process. A debugger that has started the program has its memory already, and would see nothing any more.
  private static func keepMemoryPrivate() {
    guard !isTraced else { return }
    cprocess_forbid_dumps()
  }

  private static var isTraced: Bool {
    guard let text = try? FileSystem.contents(of: "/proc/self/status") else { return false }
    let tracer = text.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "TracerPid:".utf8) }
    return tracer?.last != UInt8(ascii: "0")
  }

  /// The status to end with: not `done` when results got lost on their way out.
  private static func finish(_ status: ExitStatus) -> ExitStatus {
    switch StandardOutput.flush() {
    case 0: return status
    case EPIPE: return status == .done ? .outputClosed : status
    case let problem:
      say("b2c-run: standard output could not be written: \(String(cString: strerror(problem)))\n")
      return status == .done ? .failed : status
    }
  }

  private static func say(_ text: String) {
    let bytes = Array(OutputText(text).text.utf8)
    _ = write(2, bytes, bytes.count)
  }
}
