import CommandLineSupport
import Foundation
import TestSupport
import Testing

/// The drills of `make drill`, smaller.
@Suite(.drill) struct DrillTests {
  private func drill(_ script: String, _ arguments: String..., store: String? = nil) throws -> Program.Result {
    let program = try Program()
    return try program.run(
      list: [
        "--local", "-A", "--store", store ?? program.folder.path,
        Program.project.appending(path: "Tests/Drill/\(script)").path,
        Program.binary.path, program.folder.path,
      ] + arguments)
  }

  @Test(arguments: [false, true]) func processesThatRaceRefreshOnce(inDatabase: Bool) throws {
    var store: String?
    if inDatabase {
      let server = try PostgresServer.shared
      store = server.address(try server.makeDatabase())
    }
    let result = try drill("refresh.lua", "12", store ?? ".", store: store)
    #expect(
      result.output == """
        processes  12
        answered   12
        refreshes  1
        tokens     1
        lost       0

        """, "\(result)")
    #expect(result.status == 0)
  }

  @Test func anImportThatIsKilledLosesAndDoublesNothing() throws {
    let result = try drill("import.lua", "400", "10")
    #expect(result.status == 0, "\(result)")
    let lines = result.output.split(separator: "\n").map { $0.split(separator: " ", omittingEmptySubsequences: true) }
    #expect(lines.map { String($0.first ?? "") } == ["seed", "import", "keys", "list", "node"], "\(result)")
    // Rows and kills as asked for; no row is lost, none is there twice.
    let results = lines.dropFirst(2).map { "\($0[1]) \($0[2]) \($0[7]) \($0[8])" }
    #expect(results == ["400 10 0 0", "400 10 0 0", "80 2 0 0"])
  }
}
