import Glibc
import HostLoop
import Lua
import LuaBindings
import Secrets

@main
struct Main {
  /// The command runs on the host's thread; this one waits for signals and for the time limit.
  static func main() {
    let invocation: Invocation
    do { invocation = try Invocation(parsing: Array(CommandLine.arguments.dropFirst())) } catch {
      let failure = LuaError(error)
      say("b2c-run: \(failure.message)\n" + (failure.hint.map { "  hint: \($0)\n" } ?? ""))
      exit(ExitStatus.usage.rawValue)
    }
    let interrupts = Interrupts(timeout: invocation.timeout)
    let run = HostActor.task {
      let status = await invocation.run()
      if interrupts.reason == .limit, let seconds = invocation.timeout {
        say("b2c-run: stopped after \(Int64(exactly: seconds).map(String.init) ?? "\(seconds)") s (--timeout)\n")
      }
      exit((interrupts.reason ?? finish(status)).rawValue)
    }
    interrupts.wait { run.cancel() }
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
    let bytes = Array(Redaction.clean(text).utf8)
    _ = write(2, bytes, bytes.count)
  }
}
