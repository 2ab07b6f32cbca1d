import CommandLineSupport
import Foundation
import Testing

extension TaskServiceTests {
  @Test(
    "a plan that was applied finds nothing to do the next time",
    arguments: ["radicale", "xandikos", "todoist", "microsoft", "github"])
  func plan(kind: String) throws {
    let program = try program(for: kind)
    let services = Program.project.appending(path: "Tests/Services").path
    let secret = kind == "radicale" || kind == "xandikos" ? "caldav" : kind
    let result = try run(
      with: kind, program,
      [
        Program.binary.path, "--allow-env=SERVICE_URL", "--allow-net=127.0.0.1", "--allow-secret=\(secret)",
        "--allow-read=\(program.folder.path)", "--allow-write=\(program.folder.path)", "\(services)/plan.lua", kind,
        program.folder.path,
      ])
    #expect(result.output.hasSuffix("all hold\n"), "\(result)")
  }
}
