import Glibc
import TestSupport
import Testing

@testable import Files

@Suite struct OpenFileTests {
  private let folder = TemporaryFolder()

  /// The ways to open exactly one file: by one call of the system, and by one for each folder.
  enum Way: CaseIterable {
    case call, walk

    func open(_ path: String, _ opening: Opening = .reading) throws(FileFailure) -> OpenFile {
      switch self {
      case .call: try OpenFile(exact: Array(path.utf8), opening)
      case .walk: try OpenFile(walking: Array(path.utf8), opening)
      }
    }
  }

  @Test(arguments: Way.allCases)
  func opensAFile(way: Way) throws {
    let path = folder.write("text", to: "file")
    #expect(try way.open(path).contents() == Array("text".utf8))
    #expect(try way.open("/", .listing).status().st_mode & S_IFMT == S_IFDIR)
    let new = try way.open(folder.path("new"), Opening(O_WRONLY | O_CREAT, mode: 0o600))
    #expect(try new.status().st_mode & 0o777 == 0o600)
    #expect(fcntl(new.descriptor, F_GETFD) & FD_CLOEXEC != 0)
  }

  @Test(arguments: Way.allCases)
  func followsNoLink(way: Way) throws {
    folder.write("text", to: "file")
    #expect(symlink("file", folder.path("link")) == 0)
    #expect(symlink(".", folder.path("here")) == 0)
    for name in ["link", "here/file", "here/link"] {
      #expect(throws: FileFailure.self, "\(name)") { try way.open(folder.path(name)) }
      #expect(throws: FileFailure.self, "\(name)") { try way.open(folder.path(name), Opening(O_WRONLY | O_TRUNC)) }
    }
    #expect(folder.read("file") == "text")
    #expect(throws: FileFailure.self) { try way.open("/proc/self/status") }
  }

  @Test(arguments: Way.allCases)
  func takesNoPartOfAPath(way: Way) throws {
    let path = folder.write("text", to: "file")
    let failure = #expect(throws: FileFailure.self) { try way.open("\(path)\0.txt") }
    #expect(failure?.number == ENOENT)
  }

  /// Nobody opens the other end of the pipe, so that opening it as usual would never come back.
  @Test(arguments: Way.allCases)
  func aPipeOrADeviceIsNoFile(way: Way) throws {
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    for (path, reason) in [
      (folder.path("pipe"), "it is a pipe, expected a file"), ("/dev/zero", "it is a device, expected a file"),
      (folder.path("."), "Is a directory"),
    ] {
      let failure = #expect(throws: FileFailure.self) { try way.open(path) }
      #expect(failure?.reason == reason)
    }
  }

  @Test func givenPathsAreLiteral() throws {
    let path = folder.write("text", to: "~")
    #expect(try OpenFile(path, .reading).contents() == Array("text".utf8))
    #expect(symlink("/usr/share", folder.path("link")) == 0)
    // By the folder that the link leads to, not by the one that it is in.
    let failure = #expect(throws: FileFailure.self) { try OpenFile(folder.path("link/../~"), .reading) }
    #expect(failure?.number == ENOENT)
  }

  /// A file of six gigabytes that takes no room is refused before it is read.
  @Test func readsUpToALimit() throws {
    let path = folder.write("12345", to: "file")
    #expect(try OpenFile(path, .reading).contents(limit: 5) == Array("12345".utf8))
    #expect(throws: FileFailure.self) { try OpenFile(path, .reading).contents(limit: 4) }
    #expect(truncate(path, 6 << 30) == 0)
    let failure = #expect(throws: FileFailure.self) { try OpenFile(path, .reading).contents(limit: 1 << 20) }
    #expect(failure?.number == EFBIG)
  }

  @Test func closesItself() throws {
    let path = folder.write("text", to: "file")
    var file: OpenFile? = try OpenFile(path, .reading)
    let (descriptor, second) = (try #require(file?.descriptor), try #require(try file?.duplicate()))
    var (before, after) = (stat(), stat())
    #expect(fstat(descriptor, &before) == 0)
    file = nil
    // Other tests open files meanwhile, which may get the number, but not this file.
    #expect(fstat(descriptor, &after) != 0 || after.st_ino != before.st_ino)
    #expect(fstat(second, &after) == 0 && after.st_ino == before.st_ino)
    close(second)
  }
}
