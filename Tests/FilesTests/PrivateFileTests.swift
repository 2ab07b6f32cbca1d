import Core
import Files
import Glibc
import Testing

/// Other users cannot write the files with secrets.
@Suite struct PrivateFileTests {
  @Test(arguments: [0o600, 0o400, 0o444, 0o664, 0o602, 0o666] as [mode_t])
  func modes(_ mode: mode_t) throws {
    let path = "/tmp/private-file-\(getpid())-\(mode)"
    try OpenFile(path, Opening(O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)).write("key".utf8)
    defer { FileSystem.unlink(path) }
    #expect(path.withPath { chmod($0, mode) } == 0)
    if mode & 0o002 == 0 {
      #expect(try PrivateFile.contents(of: path, limit: 100) == Array("key".utf8))
    } else {
      let failure = #expect(throws: FileFailure.self) { try PrivateFile.contents(of: path, limit: 100) }
      #expect(failure?.reason.contains("chmod 600 '\(path)'") == true)
    }
  }

  @Test func devicesAndPipesPass() throws { #expect(try PrivateFile.contents(of: "/dev/null", limit: 1).isEmpty) }
}
