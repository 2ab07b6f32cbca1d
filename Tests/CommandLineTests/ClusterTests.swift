import Foundation
import Testing

/// `make cluster`, smaller: three machines, PostgreSQL with a standby, and faults.
@Suite("A cluster with faults") struct ClusterTests {
  @Test("loses and doubles no row", arguments: ["yes", "no"])
  func faults(keys: String) throws {
    let program = try Program()
    let script = Program.project.appending(path: "Tests/Cluster/cluster.py").path
    let result = try program.run(
      list: [script, Program.binary.path, "--rows", "1500", "--faults", "5", "--seconds", "60", "--keys", keys],
      executable: URL(filePath: "/usr/bin/python3"))
    #expect(result.status == 0, "\(result)")
    #expect(result.output.contains(" doubled 0\n"), "\(result)")
  }
}
