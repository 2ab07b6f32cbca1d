import CommandLineSupport
import Foundation
import Testing

@Suite("Imports whose source, folder or server is not as it should be")
struct ImportTroubleTests {
  @Test("--resume match asks before it imports every row as new, because a column was added")
  func addedColumn() throws {
    let server = try TaskServer()
    let tenant = try RunningTenant(for: server)
    try tenant.program.write("a.csv", "Title\none\ntwo\nthree\n")
    #expect(try tenant.program.run("import", "a.csv").status == 0)
    try tenant.program.write("a.csv", "Title,Code\none,1\ntwo,2\nthree,3\n")
    let alone = try tenant.program.run("import", "a.csv", "--resume", "match")
    #expect(alone.status == 1, "\(alone)")
    #expect(alone.errors.contains("none of the 3 rows imported before is in a.csv as it is now"), "\(alone)")

    for (answer, status, count) in [("n", 1, 3), ("y", 0, 6)] as [(String, Int32, Int)] {
      let session = try TerminalSession(tenant.program, ["import", "a.csv", "--resume", "match"], columns: 200)
      try session.expect("Import all rows (3) as new? [y/n]")
      session.type("\(answer)\n")
      #expect(session.end() == status)
      #expect(server.texts.count == count)
      let refusal = session.screen.contains("would import all 3 rows as new")
      #expect(refusal == (answer == "n"), "\(session.screen)")
    }
  }

  @Test("a folder that cannot take the file of failed rows is named when a row fails")
  func readOnlyFolder() throws {
    let server = try TaskServer { text, _ in text == "bad" ? .refuse(400, "{}") : .add }
    let tenant = try RunningTenant(for: server)
    let program = tenant.program
    try program.write("lists/a.txt", "bad\ngood\n")
    let folder = program.folder.appending(path: "lists").path
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder) }
    let result = try program.unprivileged("import", "lists/a.txt")
    let warning = try #require(
      result.errors.firstRange(
        of: "warn  rows that fail cannot be written to lists/a.txt.failed.ndjson: Permission denied; name another file"),
      "\(result)")
    let failure = try #require(result.errors.firstRange(of: "warn  row 1 (line 1) was not added"), "\(result)")
    #expect(warning.lowerBound < failure.lowerBound)
    #expect(result.errors.contains(#/\n  added +1\n/#), "\(result)")
    #expect(server.texts == ["good"])
    #expect(result.status == 1, "\(result)")
  }

  /// Settings with the address of a closed port.
  private func tenantWithClosedPort() throws -> (RunningTenant, UInt16) {
    let server = try TaskServer()
    return (try RunningTenant(for: server), server.port)
  }

  @Test("a server that starts after the import is waited for, and that is said")
  func lateServer() throws {
    let (tenant, port) = try tenantWithClosedPort()
    try tenant.program.write("a.txt", "one\ntwo\n")
    let session = try TerminalSession(tenant.program, ["import", "a.txt", "--wait", "120"], columns: 200)
    try session.expect("cannot connect to 127.0.0.1:\(port) (connection refused); trying again for up to 2:00")
    let server = try TaskServer(port: port)
    try session.expect("added")
    #expect(session.end() == 0)
    #expect(server.texts == ["one", "two"])
  }
}
