import Glibc
import HostLoop
import Lua
import LuaBindings
import Secrets

@main
struct Main {
  /// The command runs on the host's thread; this one waits for signals and for the time limit.
  static func main() {
    // A write to a closed pipe is an error to handle, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    let invocation: Invocation
    do { invocation = try Invocation(parsing: Array(CommandLine.arguments.dropFirst())) } catch {
      let message = Array(Redaction.clean("b2c-run: \(LuaError(error).message)\n").utf8)
      let hint = Array((LuaError(error).hint.map { "  hint: \($0)\n" } ?? "").utf8)
      _ = write(2, message + hint, message.count + hint.count)
      exit(ExitStatus.usage.rawValue)
    }
    let interrupts = Interrupts(timeout: invocation.timeout)
    let run = HostActor.task {
      let status = await invocation.run()
      StandardOutput.flush()
      exit(interrupts.reason?.rawValue ?? status.rawValue)
    }
    interrupts.wait { run.cancel() }
  }
}
