package import Foundation

/// A script in the background, with a program of its own, that prints how far it has come.
package final class RunningScript: Sendable {
  package struct Failed: Error, CustomStringConvertible {
    package let description: String
    package init(description: String) { self.description = description }
  }

  package let program: Program
  package let process = Process()

  /// - Parameters:
  ///   - arguments: the arguments before the script on the command line.
  ///   - environment: besides HOME and PATH.
  package init(
    _ program: Program, _ arguments: [String] = ["--timeout", "120", "--local"], environment: [String: String] = [:],
    _ script: String
  ) throws {
    self.program = program
    let path = try program.write("script.lua", script)
    for name in ["output", "errors"] { try program.write(name, "") }
    process.executableURL = Program.binary
    process.arguments = arguments + [path]
    process.currentDirectoryURL = program.folder
    process.environment = ["HOME": program.folder.path, "PATH": "/usr/bin:/bin"]
      .merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: program.folder.appending(path: "output"))
    process.standardError = try FileHandle(forWritingTo: program.folder.appending(path: "errors"))
    try process.run()
  }

  // The tests block signals, and their children inherit that: SIGTERM would wait for ever.
  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// The content of a file in the program's folder; empty if there is no file.
  package func read(_ name: String) -> String {
    (try? String(contentsOf: program.folder.appending(path: name), encoding: .utf8)) ?? ""
  }

  package var output: String { read("output") }
  package var errors: String { read("errors").withoutLogTimes }

  /// Returns the text after `label` in a line of the script's output.
  package func printed(_ label: String) async throws -> String {
    try await wait {
      let output = self.output
      guard let end = output.lastIndex(of: "\n") else { return nil }
      return output[..<end].split(separator: "\n").first { $0.hasPrefix(label) }.map {
        String($0.dropFirst(label.count))
      }
    }
  }

  /// Its exit status.
  package func end() async throws -> Int32 {
    try await wait { self.process.isRunning ? nil : self.process.terminationStatus }
  }

  /// Waits until there is a value, for as long as the script runs.
  package func wait<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ value: () throws -> Value?
  ) async throws -> Value {
    for _ in 0..<3000 {
      let isRunning = process.isRunning
      if let found = try value() { return found }
      guard isRunning else { break }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw Failed(description: "the script did not come so far: \(output)\(errors)")
  }
}
