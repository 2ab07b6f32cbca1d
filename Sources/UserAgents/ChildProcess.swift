import CLinuxShims
import Core
import Files
import Glibc
import HostLoop

/// A program that was started to open a browser, and goes on when this one ends, or to be one.
enum ChildProcess {
  /// How it ended; nil while it runs.
  typealias Exit = CancellableWait<Int32>

  struct NotStarted: Error { let errno: Int32 }

  /// Starts a program without a shell, in a session of its own, so that Ctrl-C here does not end the browser. Its input
  /// and output are /dev/null, or `input`, which stays open here. The status is the exit status, or 128 and the signal.
  @HostActor static func start(
    _ path: String, _ arguments: [String], environment: [String: String], input: Int32? = nil
  ) throws(NotStarted) -> Exit {
    let words = ([path] + arguments).map { $0.withPath { strdup($0) } } + [nil]
    let variables = environment.map { "\($0.key)=\($0.value)".withPath { strdup($0) } } + [nil]
    defer { for text in words + variables { free(text) } }
    var process = pid_t()
    let failure = path.withPath { cspawn_detached(&process, $0, words, variables, input ?? -1) }
    guard failure == 0 else { throw NotStarted(errno: failure) }
    let exit = Exit()
    watch(process) { status in HostActor.task { exit.finish(.success(status)) } }
    return exit
  }

  static func isProgram(_ path: String) -> Bool {
    FileSystem.access(path, X_OK) == 0 && FileSystem.kind(of: path) == S_IFREG
  }

  /// Waits on a thread of its own, which also keeps the process from staying behind as a zombie.
  private static func watch(_ process: pid_t, _ ended: @escaping @Sendable (Int32) -> Void) {
    SystemThread.start {
      var status: Int32 = 0
      while waitpid(process, &status, 0) == -1 { guard errno == EINTR else { return } }
      let signal = status & 0x7f
      ended(signal == 0 ? (status >> 8) & 0xff : 128 + signal)
    }
  }
}
