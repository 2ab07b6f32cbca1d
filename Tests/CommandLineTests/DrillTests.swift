import Foundation
import Testing

/// The drill of `make drill`, with fewer processes.
@Suite struct DrillTests {
  @Test func processesThatRaceRefreshOnce() throws {
    let program = try Program()
    let drill = Program.project.appending(path: "Tests/Drill/drill.lua").path
    let result = try program.run(
      "--local", "--store", program.folder.path, drill, Program.binary.path, program.folder.path, "12")
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
}
