import Core
import Testing

/// A path into an archive has the archive and the entry; other paths are none.
struct ArchivePathTests {
  @Test(arguments: [
    ("backup.zip:Inbox.csv", "backup.zip", "Inbox.csv"), ("a/B.ZIP:x/y.json", "a/B.ZIP", "x/y.json"),
  ])
  func aPathIntoAnArchive(_ path: String, _ archive: String, _ entry: String) throws {
    let parsed = try #require(ArchivePath(path))
    #expect(parsed.archive == archive)
    #expect(parsed.entry == entry)
  }

  @Test(arguments: ["backup.zip", "backup.zip:", ".zip:a", "a.csv", "zip:a", ""])
  func anotherPath(_ path: String) { #expect(ArchivePath(path) == nil) }
}
