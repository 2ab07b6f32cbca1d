import Foundation
import TestSupport
import Testing

/// The check of sizes, dependencies and the page of the architecture, which `make lint` runs.
@Suite struct StructureLintTests {
  private let folder = TemporaryFolder()
  private static let script = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../.ci/lint-structure").standardized

  /// Makes a project with the targets `A`, which declares `B`, and `B`.
  private func makeProject() throws {
    try FileManager.default.createDirectory(atPath: folder.path(".ci"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: Self.script.path, toPath: folder.path(".ci/lint-structure"))
    for name in ["Sources/A", "Sources/B", "Sources/b2c-run/Documentation.docc"] {
      try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
    }
    folder.write("module(\"A\", [\"B\"]), module(\"B\")", to: "Package.swift")
    folder.write("import B\n", to: "Sources/A/A.swift")
    folder.write("struct B {}\n", to: "Sources/B/B.swift")
    folder.write("The targets A and B.\n", to: "Sources/b2c-run/Documentation.docc/Architecture.md")
    _ = try ToolRun(["git", "init", "--quiet", folder.path("")])
  }

  private func lint(_ arguments: String...) throws -> (status: Int32, output: String) {
    try ToolRun([folder.path(".ci/lint-structure")] + arguments).result
  }

  private static let manyLines = String(repeating: "\n", count: 301)
  private static let manyProperties =
    "struct Large {\n" + (1...13).map { "  package private(set) var p\($0): Int\n" }.joined()
    + "  var computed: Int { 1 }\n  static let shared = 1\n  func f() {\n    let local = \"{\"\n  }\n}\n"

  @Test(arguments: [
    ("Sources/B/B.swift", manyLines, "file: B/B.swift has 301, and may have 300"),
    ("Sources/B/B.swift", manyProperties, "stored: B.Large has 13, and may have 12"),
    ("Sources/B/B.swift", "import A\n", "import: B imports A and does not declare it"),
    ("Sources/A/A.swift", "struct A {}\n", "import: A declares B and does not import it"),
    ("Sources/b2c-run/Documentation.docc/Architecture.md", "The target A.\n", "page: Architecture.md does not name B"),
    (".ci/structure-exceptions", "file B/B.swift 400\n", "file: B/B.swift has 1, and its exception says 400"),
  ])
  func findsAPlantedViolation(name: String, text: String, found: String) throws {
    try makeProject()
    #expect(try lint() == (0, ""))
    folder.write(text, to: name)
    let (status, output) = try lint()
    #expect(status == 1)
    #expect(output.contains(found), "\(output)")
  }

  @Test func anExceptionShrinksAndGoes() throws {
    try makeProject()
    folder.write(Self.manyLines, to: "Sources/B/B.swift")
    folder.write("file B/B.swift 400\n", to: ".ci/structure-exceptions")
    #expect(try lint("--update") == (0, ""))
    #expect(folder.read(".ci/structure-exceptions")?.hasSuffix("\nfile B/B.swift 301\n") == true)
    folder.write("\n", to: "Sources/B/B.swift")
    #expect(try lint("--update") == (0, ""))
    #expect(folder.read(".ci/structure-exceptions")?.contains("B.swift") == false)
    #expect(try lint() == (0, ""))
  }
}
