import CommandLineSupport
import Foundation
import Glibc
import Testing

/// `.ci/setup`, which installs the libraries that are missing. The system's apt-get runs with folders of the test, in which
/// there are no packages, so that it neither needs root nor changes anything.
@Suite("Setup", .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/apt-get")))
struct SetupTests {
  @Test("waits while another process holds the lock of apt, and then goes on")
  func waits() throws {
    let program = try Program()
    let folder = program.folder.path
    try program.write("lists/partial/.keep", "")
    try program.write("archives/partial/.keep", "")
    try program.write("status", "")
    try program.write("sources.list", "")
    try program.write(
      "apt.conf",
      """
      Dir::State "\(folder)"; Dir::State::Lists "\(folder)/lists"; Dir::State::status "\(folder)/status";
      Dir::Cache "\(folder)"; Dir::Cache::Archives "\(folder)/archives"; Dir::Log "\(folder)"; Dir::Etc "\(folder)";
      Dir::Etc::sourcelist "\(folder)/sources.list"; Dir::Etc::sourceparts "\(folder)/none"; APT::Sandbox::User "root";
      """)
    // Without pkg-config on its path, setup finds every library missing; sudo asks nobody.
    try program.write("bin/sudo", "#!/bin/sh\nexec \"$@\"\n")
    let bin = program.folder.appending(path: "bin")
    chmod(bin.appending(path: "sudo").path, 0o755)
    for tool in ["apt-get", "bash", "env", "id", "sed", "head", "sort", "sleep", "sh"] {
      try FileManager.default.createSymbolicLink(
        at: bin.appending(path: tool), withDestinationURL: URL(filePath: "/usr/bin/\(tool)"))
    }
    let holder = open("\(folder)/lists/lock", O_RDWR | O_CREAT, 0o600)
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    try #require(fcntl(holder, F_SETLK, &lock) == 0)

    let process = Process()
    process.executableURL = Program.project.appending(path: ".ci/setup")
    process.arguments = ["webview"]
    process.currentDirectoryURL = program.folder
    process.environment = ["PATH": bin.path, "APT_CONFIG": "\(folder)/apt.conf", "SETUP_PAUSE": "0.05"]
    let errors = Pipe()
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    var (text, isHeld) = ("", true)
    while true {
      let piece = errors.fileHandleForReading.availableData
      if piece.isEmpty { break }
      text += String(decoding: piece, as: UTF8.self)
      if isHeld, text.contains("setup: waiting for another process") {
        // Closing the file releases the lock.
        close(holder)
        isHeld = false
      }
    }
    process.waitUntilExit()
    #expect(text.contains("setup: waiting for another process that holds the lock of apt\n"), "\(text)")
    #expect(text.contains("Reading package lists"), "\(text)")
    #expect(text.contains("Unable to locate package"), "\(text)")
  }
}
