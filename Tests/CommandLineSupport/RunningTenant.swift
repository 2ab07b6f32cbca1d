import Foundation
import Testing

/// `b2c-run tenant` in the background, and its settings in the folder of a program, which finds them there.
package final class RunningTenant {
  package let program: Program
  package let settings: String
  private let process = Process()

  /// - Parameters:
  ///   - data: the tenant's data file, in the program's folder; nil for memory.
  ///   - usesTLS: whether it serves https.
  ///   - descriptors: how many the tenant may have; nil for as many as this process.
  ///   - flags: further options of the command.
  ///   - edit: changes the settings before they are written.
  package init(
    data: String? = nil, usesTLS: Bool = false, descriptors: Int? = nil, flags: [String] = [],
    _ edit: (String) -> String = { $0 }
  ) throws {
    program = try Program()
    let output = Pipe()
    process.executableURL = Program.binary
    process.arguments =
      ["--quiet", "tenant"] + (data.map { ["--data", $0] } ?? []) + (usesTLS ? ["--tls"] : []) + flags
    if let descriptors {
      process.arguments =
        ["-c", "ulimit -n \(descriptors); exec \"$0\" \"$@\"", Program.binary.path] + (process.arguments ?? [])
      process.executableURL = URL(filePath: "/bin/sh")
    }
    process.currentDirectoryURL = program.folder
    process.environment = ["HOME": program.folder.path, "PATH": "/usr/bin:/bin"]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    var text = ""
    while !text.hasSuffix("</plist>\n") {
      let chunk = output.fileHandleForReading.availableData
      guard !chunk.isEmpty else { throw CocoaError(.fileReadUnknown) }
      text += String(decoding: chunk, as: UTF8.self)
    }
    settings = edit(text)
    try program.write("settings.plist", settings)
  }

  deinit { stop() }

  package func stop() {
    guard process.isRunning else { return }
    process.terminate()
    process.waitUntilExit()
  }

  /// Signs a user in by a script, without a person.
  package func signIn(_ username: String = "alice", _ password: String = "Wonderland-1", _ options: String = "") throws
  {
    let result = try program.run(
      "-e",
      """
      b2c.accounts.sign_in { agent = "headless", username = "\(username)", password = "\(password)", \(options) }
      """)
    #expect(result.status == 0, "\(result)")
  }

  /// Returns the names and policies of the accounts, as a later script prints them.
  package func names() throws -> String {
    try program.run("-e", "for _, account in ipairs(b2c.accounts.all()) do print(account.name, account.policy) end")
      .output
  }
}
