import Files
import Foundation
import Permissions
import Testing

@Suite("Where a path leads")
struct ResolvedPathTests {
  /// A folder with links, removed at the end.
  final class Ground: Sendable {
    let path: String

    init() throws {
      let url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().appending(path: UUID().uuidString)
      path = url.path
      let files = FileManager.default
      try files.createDirectory(at: url.appending(path: "a/b"), withIntermediateDirectories: true)
      try Data().write(to: url.appending(path: "a/file"))
      for (name, target) in [
        ("link", "a"), ("up", "a/b/../.."), ("a/b/away", "\(path)/a/file"), ("gone", "a/new"), ("loop", "loop"),
        ("second", "link"),
      ] {
        try files.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: target)
      }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  @Test(
    "as the kernel walks it",
    arguments: [
      ("a/file", "a/file"), ("./a//b/", "a/b"), ("a/b/../file", "a/file"), ("link/file", "a/file"), ("link", "a"),
      ("second/b", "a/b"), ("up/a", "a"), ("a/b/away", "a/file"), ("gone", "a/new"), ("gone/x", "a/new/x"),
      ("loop", "loop"),
      ("link/../a", "a"), ("a/b/../../a/new/deep", "a/new/deep"), ("", ""), (".", ""), ("new/x", "new/x"),
    ])
  func leads(path: String, expected: String) throws {
    let ground = try Ground()
    let resolved = ResolvedPath(path, from: Array(ground.path.utf8))
    #expect(resolved.text == (expected.isEmpty ? ground.path : "\(ground.path)/\(expected)"))
  }

  @Test("a name itself is not followed, but what is before it")
  func entry() throws {
    let ground = try Ground()
    let base = Array(ground.path.utf8)
    #expect(ResolvedPath(Array("second".utf8), from: base, followsLast: false).text == "\(ground.path)/second")
    #expect(ResolvedPath(Array("link/b/away".utf8), from: base, followsLast: false).text == "\(ground.path)/a/b/away")
    #expect(ResolvedPath(Array("link/".utf8), from: base, followsLast: false).text == "\(ground.path)/a")
  }

  @Test("nothing is found above what is not a folder")
  func nowhere() throws {
    let ground = try Ground()
    let base = Array(ground.path.utf8)
    #expect(ResolvedPath("new/../a", from: base).isNowhere)
    #expect(ResolvedPath("a/file/../file", from: base).isNowhere)
    #expect(!ResolvedPath("link/../a", from: base).isNowhere)
  }

  @Test("a folder has what is in it, and nothing whose name begins like its own")
  func boundaries() {
    func path(_ text: String) -> ResolvedPath { ResolvedPath(text, from: [UInt8(ascii: "/")]) }
    #expect(path("/nowhere/b/c").isWithin(path("/nowhere/b")))
    #expect(path("/nowhere/b").isWithin(path("/nowhere/b/")))
    #expect(!path("/nowhere/bc").isWithin(path("/nowhere/b")))
    #expect(!path("/nowhere").isWithin(path("/nowhere/b")))
    #expect(path("/nowhere").isWithin(path("/")))
    // Two spellings of one letter are two names.
    #expect(!path("/nowhere/caf\u{e9}/x").isWithin(path("/nowhere/cafe\u{301}")))
  }
}
