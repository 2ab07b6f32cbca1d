import Foundation
import Testing

/// `b2c-run serve` in the background, in the folder of a program. Its clock can be moved.
package final class RunningServer {
  package let program: Program
  private var process = Process()
  private var log: URL
  private var hours = 0.0
  private var clock: URL { program.folder.appending(path: "clock") }

  /// - Parameters:
  ///   - jobs: the scripts by the names of the jobs. `local run = b2c.job` stands for the first lines.
  ///   - options: of `serve`.
  package init(_ jobs: [String: String], in program: Program? = nil, options: [String] = [], isStarted: Bool = true)
    throws
  {
    self.program = try program ?? Program()
    log = self.program.folder.appending(path: "serve.log")
    try Data("0".utf8).write(to: clock)
    for (name, text) in jobs { try write(name, text) }
    if isStarted { try start(options) }
  }

  deinit { stop() }

  /// Writes the script of a job. A text that begins with `{` is the declaration alone, which the rest follows.
  package func write(_ name: String, _ text: String) throws {
    let head = "local b2c = require \"b2c\"\nlocal run = b2c.job "
    try program.write("jobs/\(name).lua", text.hasPrefix("{") ? head + text : text)
  }

  /// Starts the server, and waits until it serves, or until its log has another text.
  package func start(
    _ options: [String] = [], environment: [String: String] = [:], executable: [String] = [],
    until text: String = "serving the jobs"
  ) throws {
    process = Process()
    let words = executable + [Program.binary.path, "serve"] + options
    process.executableURL = URL(filePath: words[0])
    process.arguments = Array(words.dropFirst())
    process.currentDirectoryURL = program.folder
    process.environment = [
      "HOME": program.folder.path, "PATH": "/usr/bin:/bin", "B2C_RUN_CLOCK": clock.path, "TZ": "UTC",
    ]
    .merging(environment) { $1 }
    _ = FileManager.default.createFile(atPath: log.path, contents: nil)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = try FileHandle(forWritingTo: log)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    try wait(for: text)
  }

  package var text: String { ((try? String(contentsOf: log, encoding: .utf8)) ?? "").withoutLogTimes }

  /// Waits until the log has this text.
  package func wait(for text: String, times: Int = 1) throws {
    for _ in 0..<3000 {
      if self.text.components(separatedBy: text).count > times { return }
      if !process.isRunning, !self.text.contains(text) { break }
      usleep(20_000)
    }
    Issue.record("there is no \"\(text)\" in the log:\n\(self.text)")
    throw CocoaError(.fileReadUnknown)
  }

  /// Lets time pass.
  package func pass(hours: Double) throws {
    self.hours += hours
    try Data("\(self.hours * 3600)".utf8).write(to: clock, options: .atomic)
  }

  package func jobs(_ words: String...) throws -> Program.Result {
    try program.run(list: ["jobs"] + words, environment: ["B2C_RUN_CLOCK": clock.path, "TZ": "UTC"])
  }

  /// The port in the line of the log that has this text.
  package func port(_ text: String) throws -> Int {
    try wait(for: text)
    let line = self.text.split(separator: "\n").first { $0.contains(text) } ?? ""
    return Int(line.split(whereSeparator: { !$0.isNumber }).last ?? "") ?? 0
  }

  package func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  /// Sets how long files may be that the server writes; without bytes they are as on a full disk.
  /// - Parameter size: such as `0` or `unlimited`.
  package func limitFiles(to size: String) throws {
    let result = try program.run(
      list: ["--pid", "\(process.processIdentifier)", "--fsize=\(size):"],
      executable: URL(filePath: "/usr/bin/prlimit"))
    try #require(result.status == 0, "\(result)")
  }

  /// Returns the exit status.
  @discardableResult package func end(_ number: Int32 = SIGTERM) -> Int32 {
    signal(number)
    process.waitUntilExit()
    return process.terminationStatus
  }

  package var isRunning: Bool { process.isRunning }

  /// Waits until the server has ended by itself. Returns the exit status.
  package func waitForEnd() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }

  private func stop() {
    guard process.isRunning else { return }
    end(SIGKILL)
  }
}
