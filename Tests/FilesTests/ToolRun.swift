import Foundation

/// A program that ran to its end, such as a check of `make lint`.
struct ToolRun {
  let status: Int32
  let output: String

  /// - Parameter arguments: the program, found by `PATH` or by its path, and its arguments.
  init(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    status = process.terminationStatus
  }

  var result: (status: Int32, output: String) { (status, output) }
}
