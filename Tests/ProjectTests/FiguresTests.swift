import CommandLineSupport
import Foundation
import Testing

/// `bench/figures`, which counts the source code.
@Suite("The figures of the source code")
struct FiguresTests {
  private static let manifest = """
    // swift-tools-version: 6.2
    import PackageDescription
    let package = Package(
      name: "small",
      targets: [.target(name: "Ground"), .target(name: "House", dependencies: ["Ground"]), .testTarget(name: "HouseTests")])
    """
  private static let house = #"""
    /* A comment /* in a comment */
    of two lines */
    package struct House {
      let doors = ["// no comment", "a \(["{": 1].count) {"]
      private(set) var rooms: Int { didSet { rooms = 1 } }  // code and a comment
      static let most = 3

      var text: String { """
        // no comment either
        """
      }
      enum Kind { case small, large }
    }
    """#

  @Test("counts lines, members of types with their extensions, and dependencies")
  func counts() throws {
    let program = try Program()
    try program.write("Package.swift", Self.manifest)
    try program.write("Sources/House/House.swift", Self.house)
    try program.write(
      "Sources/House/House+More.swift", "extension House {\n  func open() { let door = 1; _ = door }\n}\n")
    try program.write("Sources/Ground/ground.c", "// A comment.\nint ground = 1; /* one */\n\n")
    let script = Program.project.appending(path: "bench/figures")
    try FileManager.default.createDirectory(
      at: program.folder.appending(path: "bench"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: script, to: program.folder.appending(path: "bench/figures"))
    let result = try program.run(
      list: ["bench/figures", "--types", "1"], executable: URL(filePath: "/usr/bin/python3"),
      environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "SWIFT": swift])
    #expect(result.status == 0, "\(result)")
    let lines = result.output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    #expect(lines.first == "targets: 2 of Sources (of which 0 name a library of the system), 1 of tests", "\(result)")
    for line in [
      "C 1 1 1 1 3", "Swift 2 13 2 1 16", "House House 5 2 2 14", "House: Ground", "Ground: (none)",
    ] {
      #expect(lines.contains(line), "\(line) is not in\n\(result)")
    }
  }

  private var swift: String { ProcessInfo.processInfo.environment["SWIFT"] ?? "swift" }
}
