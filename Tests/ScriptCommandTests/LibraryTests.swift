import CommandLineSupport
import Foundation
import Testing

@Suite("Lua's own libraries")
struct LibraryTests {
  @Test("with a permission, io, os and package do what the manual says: as lua5.4 does it")
  func meaning() throws {
    let folder = Program.project.appending(path: "Tests/Libraries")
    let program = try Program()
    for name in ["libraries.lua", "chunk.lua"] {
      try FileManager.default.copyItem(
        at: folder.appending(path: name), to: program.folder.appending(path: name))
    }
    let result = try program.run(
      "--allow-read", "--allow-write=.,/tmp", "--allow-env", "--allow-run", "libraries.lua")
    let expected = try String(contentsOf: folder.appending(path: "libraries.txt"), encoding: .utf8)
    #expect(result.output == expected, "\(result.errors)")
    #expect(result.status == 0)
  }
}
