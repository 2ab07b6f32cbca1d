package import Foundation
import Testing

/// Runs the built `b2c-run` as a person would, in a separate folder, which is also its home.
package final class Program: Sendable {
  package struct Result: CustomStringConvertible {
    package var status: Int32
    /// Without the times of log lines, as `errors`.
    package var output: String
    package var errors: String

    package var description: String { "status \(status)\n--- stdout\n\(output)--- stderr\n\(errors)" }
  }

  package static let project = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The folder it runs in, removed with this object.
  package let folder: URL

  /// The flags that precede the arguments of every run.
  private let flags: [String]

  package init(flags: [String] = []) throws {
    self.flags = flags
    folder = FileManager.default.temporaryDirectory.appending(path: "b2c-run-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// A chunk that signs alice in and prints her name.
  package static let signIn = """
    print(b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }.name)
    """

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Beside the test bundle.
  package static var binary: URL {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "b2c-run")
  }

  @discardableResult
  package func write(_ name: String, _ text: String) throws -> String {
    let url = folder.appending(path: name)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
    return url.path
  }

  package func run(
    _ arguments: String..., input: String = "", whenSpeaking onFirstLine: ((Process) -> Void)? = nil
  ) throws -> Result {
    try run(list: arguments, input: input, whenSpeaking: onFirstLine)
  }

  /// Runs it by a line of bash, in which `$0` is the program and `$1` the argument.
  package func shell(_ line: String, _ argument: String) throws -> Result {
    try run(list: ["-c", line, Self.binary.path, argument], executable: URL(filePath: "/bin/bash"))
  }

  /// Starts it in the background, its output dropped.
  package func start(_ arguments: String...) throws -> Process { try start(list: arguments) }

  /// Starts it in the background. Its output goes to the file `log`.
  package func start(
    list arguments: [String], environment: [String: String] = [:], log: String = "/dev/null"
  ) throws -> Process {
    let process = Process()
    process.executableURL = Self.binary
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = ["HOME": folder.path, "PATH": "/usr/bin:/bin"].merging(environment) { $1 }
    if log != "/dev/null" { _ = FileManager.default.createFile(atPath: log, contents: nil) }
    let output = try FileHandle(forWritingTo: URL(filePath: log))
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try process.run()
    return process
  }

  /// Runs it to its end. `onFirstLine` gets the process once it has printed something.
  /// - Parameter environment: besides HOME and PATH.
  package func run(
    list arguments: [String], executable: URL = Program.binary, environment: [String: String] = [:], input: String = "",
    whenSpeaking onFirstLine: ((Process) -> Void)? = nil
  ) throws -> Result {
    let process = Process()
    process.executableURL = executable
    process.arguments = (executable == Program.binary ? flags : []) + arguments
    process.currentDirectoryURL = folder
    process.environment = ["HOME": folder.path, "PATH": "/usr/bin:/bin"].merging(environment) { $1 }
    let (output, standardInput) = (Pipe(), Pipe())
    let errors = folder.appending(path: ".stderr-\(UUID().uuidString)")
    _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: errors)
    process.standardInput = standardInput
    try process.run()
    try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try standardInput.fileHandleForWriting.close()
    var text = Data()
    while true {
      let chunk = output.fileHandleForReading.availableData
      if chunk.isEmpty { break }
      if text.isEmpty { onFirstLine?(process) }
      text += chunk
    }
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus, output: String(decoding: text, as: UTF8.self).withoutLogTimes,
      errors: try String(contentsOf: errors, encoding: .utf8).withoutLogTimes)
  }
}

extension Program {
  /// Runs the program as a user to whom file modes apply. They apply to root only without these capabilities.
  package func unprivileged(_ arguments: String...) throws -> Result {
    guard getuid() == 0 else { return try run(list: arguments) }
    return try run(
      list: ["--bounding-set", "-dac_override,-dac_read_search", Self.binary.path] + arguments,
      executable: URL(filePath: "/usr/bin/setpriv"))
  }

  /// Runs it in a separate session, which has no terminal, also when the tests are run on one.
  package func withoutTerminal(_ arguments: String...) throws -> Result {
    try run(list: ["--wait", Self.binary.path] + arguments, executable: URL(filePath: "/usr/bin/setsid"))
  }

  /// True if this process may mount disks in a separate name space, which containers may forbid.
  package static let canMount = (try? Program().shell("unshare -Urm mount -t tmpfs none $1", "/mnt"))?.status == 0
}

extension String {
  /// The text as a terminal shows it: log lines that go elsewhere begin with the time.
  package var withoutLogTimes: String {
    replacing(#/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (?=(?:debug|info|warn|error) )/#, with: "")
  }
}
