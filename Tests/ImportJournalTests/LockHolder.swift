import Foundation

/// A process that holds a journal's lock as an import does.
final class LockHolder {
  private let process = Process()

  init(journal: String, since: Int) throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-ec", #"exec 9>"$0-lock"; flock -n 9; echo "$$ $1" >&9; echo held; exec sleep 600 >&2"#, journal, "\(since)",
    ]
    process.standardOutput = output
    try process.run()
    _ = output.fileHandleForReading.availableData
  }

  var processID: Int { Int(process.processIdentifier) }

  /// Ends it as `kill -9` does.
  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  deinit { if process.isRunning { kill() } }
}
