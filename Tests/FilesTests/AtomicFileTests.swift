import Glibc
import TestSupport
import Testing

@testable import Files

@Suite struct AtomicFileTests {
  private let folder = TemporaryFolder()

  @Test func replacesTheFileWhole() throws {
    let path = folder.write("old", to: "report.json")
    let file = try AtomicFile(OutputPlace(path))
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
      let file = try AtomicFile(OutputPlace(path))
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
    let file = try AtomicFile(OutputPlace(link))
    try file.write("new".utf8)
    try file.commit()
    #expect(folder.read("there.json") == "new")
    var status = stat()
    #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
  }

  /// A name in the folder, of which no link is to be followed.
  private func exact(_ name: String, isFile: Bool = false) -> OutputPlace {
    OutputPlace(name, exact: Array(folder.path(name).utf8), isFile: isFile)
  }

  @Test(arguments: ["link", "dangling"])
  func followsNoLinkToWhatWasLookedAt(name: String) throws {
    let path = folder.write("old", to: "there.json")
    #expect(symlink(name == "link" ? path : folder.path("new.json"), folder.path(name)) == 0)
    let error = #expect(throws: FileError.self) { try AtomicFile(exact(name)) }
    #expect(error?.message == "\(name) cannot be written: it is a link")
    #expect(folder.names == [name, "there.json"].sorted())
    #expect(folder.read("there.json") == "old")
  }

  @Test func staysInTheFolderThatWasLookedAt() throws {
    #expect(mkdir(folder.path("mine"), 0o755) == 0 && mkdir(folder.path("other"), 0o755) == 0)
    let file = try AtomicFile(exact("mine/report.json"))
    try file.write("new".utf8)
    #expect(rename(folder.path("mine"), folder.path("moved")) == 0)
    #expect(symlink("other", folder.path("mine")) == 0)
    try file.commit()
    #expect(folder.read("moved/report.json") == "new")
    #expect(folder.read("other/report.json") == nil)
    let error = #expect(throws: FileError.self) { try AtomicFile(exact("mine/report.json")) }
    #expect(error?.message == "mine/report.json cannot be written: Not a directory")
  }

  @Test func aPipeIsNoFile() throws {
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    let error = #expect(throws: FileError.self) { try AtomicFile(exact("pipe", isFile: true)) }
    #expect(error?.message == "pipe cannot be written: it is not a file")
    #expect(error?.hint == "remove it, or name another file")
    // A pipe that may be written to has no reader here.
    let unread = #expect(throws: FileError.self) { try AtomicFile(exact("pipe")) }
    #expect(unread?.message == "pipe cannot be written: No such device or address")
  }

  @Test func aFileOfAnotherNameKeepsItsBytes() throws {
    let path = folder.write("old", to: "there.json")
    #expect(link(path, folder.path("here.json")) == 0)
    let file = try AtomicFile(exact("here.json", isFile: true))
    try file.write("new".utf8)
    #expect(file.keepPrevious() == "here.json.1")
    try file.commit()
    #expect(folder.read("there.json") == "old" && folder.read("here.json.1") == "old")
    #expect(folder.read("here.json") == "new")
  }

  @Test func whatIsNoFileIsWrittenAsItIs() throws {
    let file = try AtomicFile(OutputPlace("/dev/null"))
    try file.write("gone".utf8)
    try file.commit()
    var status = stat()
    #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
  }

  @Test func saysWhatCannotBeWritten() {
    let path = folder.path("missing/report.json")
    let error = #expect(throws: FileError.self) { try AtomicFile(OutputPlace(path)) }
    #expect(error?.message == "\(path) cannot be written: No such file or directory")
    #expect(error?.code == "unwritable")
  }

  @Test func fullDisk() throws {
    let file = try AtomicFile(OutputPlace("/dev/full"))
    try file.write("a".utf8)
    let error = #expect(throws: FileError.self) { try file.commit() }
    #expect(error?.message == "/dev/full cannot be written: No space left on device")
  }
}
