import CommandLineSupport
import Foundation
import Testing

@Suite("A disk that takes nothing")
struct FullDiskTests {
  @Test("is known to all who ask before a run needs it, and its end, too")
  func oneState() throws {
    let server = try RunningServer(["tick": "{ on = { every = '10h' } }"], isStarted: false)
    try server.start(["--listen", "0"])
    let address = "http://localhost:\(try server.port("the jobs are at"))"
    let answers = { (page: String) in try curl(server, "-w", "\n%{http_code}", "\(address)\(page)") }
    #expect(try answers("/metrics").contains("\nb2c_run_ready 1\n"))
    // The kernel refuses each write to a file from now on.
    try server.limitFiles(to: "0")
    #expect(try eventually { try answers("/metrics").contains("\nb2c_run_ready 0\n") })
    #expect(try answers("/").contains("role=\"status\">the jobs stand still"))
    #expect(try answers("/readyz") == "the jobs stand still\n\n503")
    try server.limitFiles(to: "unlimited")
    #expect(try eventually { try answers("/readyz") == "ok\n\n200" })
    #expect(try answers("/metrics").contains("\nb2c_run_ready 1\n"))
    #expect(!(try answers("/").contains("stand still")))
    // Its log was cut meanwhile.
    #expect(server.end() == 1)
  }

  /// Asks again for as long as the answer to an earlier question may count.
  private func eventually(_ holds: () throws -> Bool) rethrows -> Bool {
    for _ in 0..<300 where try !holds() { usleep(100_000) }
    return try holds()
  }
}
