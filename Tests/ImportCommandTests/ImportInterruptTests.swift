import CommandLineSupport
import Foundation
import Testing

@Suite("Ctrl-C in an import")
struct ImportInterruptTests {
  private static let rows = (1...40).map { "Task \($0)" }

  /// An import on a terminal that has asked for 12 tasks, the last two of which are added without an answer for so long.
  private func session(seconds: Double) throws -> (TaskServer, RunningTenant, TerminalSession) {
    let server = try TaskServer { _, number in number <= 10 ? .add : .hang(seconds: seconds, adds: true) }
    let tenant = try RunningTenant(for: server)
    try tenant.program.write("a.txt", Self.rows.joined(separator: "\n"))
    let session = try TerminalSession(tenant.program, ["import", "a.txt", "--concurrency", "2..2"])
    try server.waitForRequests(12)
    return (server, tenant, session)
  }

  private func goOn(_ server: TaskServer, _ tenant: RunningTenant) throws {
    server.treat { _, _ in .add }
    let result = try tenant.program.run("import", "a.txt", "--settle-after", "0")
    #expect(result.status == 0, "\(result)")
    #expect(server.texts.sorted() == Self.rows.sorted())
  }

  @Test("once: what was sent is waited for, and it is said how to go on")
  func once() throws {
    let (server, tenant, session) = try session(seconds: 1)
    session.type("\u{3}")
    try session.expect("a.txt: interrupted after ")
    try session.expect("added        12")
    try session.expect("Import it again to continue: added rows are not sent again.")
    #expect(session.end() == 130)
    #expect(server.requests == 12)
    try goOn(server, tenant)
  }

  @Test("twice: at once, and the journal is true all the same")
  func twice() throws {
    let (server, tenant, session) = try session(seconds: 60)
    session.type("\u{3}")
    try session.expect("stopping")
    session.type("\u{3}")
    #expect(session.end() == 130)
    #expect(!session.screen.contains("interrupted after"))
    try goOn(server, tenant)
  }

  @Test("without an answer for long, the requests are given up, and found out about by the next run")
  func givenUp() throws {
    let (server, tenant, session) = try session(seconds: 60)
    session.type("\u{3}")
    try session.expect("a.txt: interrupted after ")
    #expect(session.end() == 130)
    try goOn(server, tenant)
  }
}
