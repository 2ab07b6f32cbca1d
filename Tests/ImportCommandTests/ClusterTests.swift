import CommandLineSupport
import Foundation
import Testing

/// `make cluster`, smaller: three machines, PostgreSQL with a standby, and faults.
@Suite("A cluster with faults", .drill) struct ClusterTests {
  @Test(
    "loses and doubles no row, refreshes each generation of tokens once, and runs each due time once",
    arguments: [["--keys", "yes"], ["--keys", "no"], ["--pooler", "yes"]])
  func faults(options: [String]) throws {
    let program = try Program()
    let script = Program.project.appending(path: "Tests/Cluster/cluster.py").path
    let size = ["--rows", "1200", "--faults", "3", "--lease", "4", "--seconds", "60"]
    let result = try program.run(
      list: [script, Program.binary.path] + size + options,
      executable: URL(filePath: "/usr/bin/python3"))
    #expect(result.status == 0, "\(result)")
    #expect(result.output.contains(" doubled 0\n"), "\(result)")
  }
}
