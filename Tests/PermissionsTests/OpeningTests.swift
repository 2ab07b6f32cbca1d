import Files
import Foundation
import HostLoop
import Permissions
import Testing

/// The host opens the file that it checked, whatever is moved between the check and the opening.
@HostActor @Suite("The door to files")
struct OpeningTests {
  private let ground: ResolvedPathTests.Ground
  private let permissions: Permissions

  init() throws {
    ground = try ResolvedPathTests.Ground()
    try FileManager.default.createDirectory(atPath: "\(ground.path)/outside", withIntermediateDirectories: false)
    for name in ["a/file", "outside/file", "outside/secret"] {
      try Data(name.utf8).write(to: URL(filePath: "\(ground.path)/\(name)"))
    }
    var grants = Grants()
    try grants.allow(.read, "a")
    try grants.allow(.write, "a")
    permissions = Permissions(grants, base: Array(ground.path.utf8))
  }

  private func text(_ path: String) throws -> String {
    String(decoding: try permissions.open(Array(path.utf8), for: .reading, by: "test").contents(), as: UTF8.self)
  }

  @Test("a file is opened where its path leads, links included")
  func opens() throws {
    for path in ["a/file", "./a/../a/file", "link/file", "a/b/away", "second/b/../file", "\(ground.path)/a/file"] {
      #expect(try text(path) == "a/file", "\(path)")
    }
  }

  @Test(
    "what is not allowed is refused before it is opened", arguments: ["outside/file", "up/outside/file", "/etc/hosts"])
  func refuses(path: String) throws {
    #expect(throws: PermissionDenied.self) { try text(path) }
  }

  /// A mount of the kernel's files elsewhere, and a device, are known by the open file.
  @Test(
    "the system's files are known wherever they are",
    arguments: [
      ("/proc/self/status", true), ("/proc", true), ("/sys/kernel", true), ("/dev/zero", true), ("/dev/null", false),
      ("/etc/passwd", false), ("/", false),
    ])
  func systemFiles(path: String, isOfSystem: Bool) throws {
    #expect(try OpenFile(path, .streaming).isOfSystem == isOfSystem)
  }

  @Test("a device in a folder that is allowed stays closed", .enabled(if: geteuid() == 0, "root makes devices"))
  func device() throws {
    // /dev/zero
    #expect(mknod("\(ground.path)/a/zero", S_IFCHR | 0o666, 0x105) == 0)
    let opening = Opening.streaming
    let failure = #expect(throws: FileFailure.self) {
      try permissions.open(Array("a/zero".utf8), for: opening, by: "test")
    }
    #expect(failure?.reason.contains("closed to scripts") == true)
    let rules = permissions.rules(granting: ["--allow-read=a"], from: Array(ground.path.utf8))
    #expect(throws: PermissionDenied.self) { try rules.open(Array("a/zero".utf8), for: opening, by: "test") }
    permissions.allow(typed: ["a/zero"])
    var bytes: [UInt8] = [1]
    #expect(try permissions.open(Array("a/zero".utf8), for: opening, by: "test").read(into: &bytes) == 1)
    #expect(bytes == [0])
  }

  @Test(
    "a tilde is a name, and nothing is above what is not a folder",
    arguments: ["a/~/file", "a/file/../file", "a/new/../file"])
  func literal(path: String) throws {
    let failure = #expect(throws: FileFailure.self) { try text(path) }
    #expect(failure?.number == ENOENT)
  }

  @Test("a folder that becomes a link between the check and the opening leads nowhere")
  func swappedFolder() throws {
    let file = try permissions.check(Array("a/file".utf8), [.read, .write], by: "test")
    try FileManager.default.moveItem(atPath: "\(ground.path)/a", toPath: "\(ground.path)/moved")
    try FileManager.default.createSymbolicLink(atPath: "\(ground.path)/a", withDestinationPath: "outside")
    for opening in [Opening.reading, .streaming, Opening(O_WRONLY | O_CREAT | O_TRUNC)] {
      #expect(throws: FileFailure.self) { try file.open(opening) }
    }
    #expect(throws: FileFailure.self) { try file.entry() }
    #expect(try String(contentsOfFile: "\(ground.path)/outside/file", encoding: .utf8) == "outside/file")
  }

  @Test("a file that becomes a link between the check and the opening is not followed")
  func swappedFile() throws {
    let file = try permissions.check(Array("a/file".utf8), [.read, .write], by: "test")
    try FileManager.default.removeItem(atPath: "\(ground.path)/a/file")
    try FileManager.default.createSymbolicLink(
      atPath: "\(ground.path)/a/file", withDestinationPath: "../outside/secret")
    #expect(throws: FileFailure.self) { try file.open(.reading) }
    #expect(throws: FileFailure.self) { try file.open(Opening(O_WRONLY | O_TRUNC)) }
    #expect(try String(contentsOfFile: "\(ground.path)/outside/secret", encoding: .utf8) == "outside/secret")
  }

  @Test("a descriptor that is open stays the file that was checked")
  func heldFile() throws {
    let file = try permissions.open(Array("a/file".utf8), for: .reading, by: "test")
    try FileManager.default.moveItem(atPath: "\(ground.path)/a", toPath: "\(ground.path)/moved")
    try FileManager.default.createSymbolicLink(atPath: "\(ground.path)/a", withDestinationPath: "outside")
    #expect(String(decoding: try file.contents(), as: UTF8.self) == "a/file")
  }
}
