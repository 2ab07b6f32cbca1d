import Glibc
import Testing

@testable import TaskImport

@Suite struct AtomicFileTests {
  private let folder = TemporaryFolder()

  @Test func replacesTheFileWhole() throws {
    let path = folder.write("old", to: "report.json")
    let file = try AtomicFile(path: path)
    let text = String(repeating: "a", count: 200_000)
    try file.write(text.utf8)
    #expect(folder.read("report.json") == "old")
    try file.commit()
    #expect(folder.read("report.json")?.count == text.count)
    #expect(folder.names == ["report.json"])
  }

  @Test func leavesNothingBehindWithoutCommit() throws {
    let path = folder.write("old", to: "report.json")
    do {
      let file = try AtomicFile(path: path)
      try file.write("half".utf8)
    }
    #expect(folder.read("report.json") == "old")
    #expect(folder.names == ["report.json"])
  }

  @Test func keepsLinksAndPermissions() throws {
    let path = folder.write("old", to: "there.json")
    #expect(chmod(path, 0o640) == 0)
    let link = folder.path("here.json")
    #expect(symlink(path, link) == 0)
    let file = try AtomicFile(path: link)
    try file.write("new".utf8)
    try file.commit()
    #expect(folder.read("there.json") == "new")
    var status = stat()
    #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
  }

  @Test func whatIsNoFileIsWrittenAsItIs() throws {
    let file = try AtomicFile(path: "/dev/null")
    try file.write("gone".utf8)
    try file.commit()
    var status = stat()
    #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
  }

  @Test func saysWhatCannotBeWritten() {
    let path = folder.path("missing/report.json")
    let error = #expect(throws: ImportError.self) { try AtomicFile(path: path) }
    #expect(error?.message == "\(path) cannot be written: No such file or directory")
    #expect(error?.code == "unwritable")
  }

  @Test func fullDisk() throws {
    let file = try AtomicFile(path: "/dev/full")
    try file.write("a".utf8)
    let error = #expect(throws: ImportError.self) { try file.commit() }
    #expect(error?.message == "/dev/full cannot be written: No space left on device")
  }
}
