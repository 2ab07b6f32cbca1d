import Foundation

/// Runs programs of Python, which write files as other programs do.
package enum PythonProgram {
  /// - Parameter path: the value of the program's variable `path`.
  package static func run(_ program: String, path: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = ["-c", "import datetime, os, zipfile\npath = os.environ['FILE']\n" + program]
    process.environment = ["FILE": path]
    do { try process.run() } catch { fatalError("python3 does not start: \(error)") }
    process.waitUntilExit()
    if process.terminationStatus != 0 { fatalError("the Python program has failed:\n\(program)") }
  }
}
