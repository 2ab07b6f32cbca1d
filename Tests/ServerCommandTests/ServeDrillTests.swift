import CommandLineSupport
import Databases
import Foundation
import Testing

/// Kills servers and runs at any moment. What the history says afterwards is what happened.
@Suite("serve, killed again and again", .drill)
struct ServeDrillTests {
  @Test("no due time is lost or doubled, no run starts twice, no state is torn")
  func kills() throws {
    let program = try Program()
    let job = """
      -- needs: --allow-write=marks
      local b2c = require "b2c"
      local run = b2c.job { on = { every = "1s" }, catch_up = "all", overlap = "queue", pause_after = 0, %@ }
      local mark <close> = assert(io.open("marks/" .. run.job .. "-" .. run.id .. "-" .. run.attempt, "w"))
      run.state.count = (run.state.count or 0) + 1
      run.state.text = string.rep(tostring(run.state.count), 10000)
      b2c.async.sleep(0.05)
      """
    try program.write("marks/.keep", "")
    let server = try RunningServer(
      [
        "once": job.replacing("%@", with: "interrupted = 'report'"),
        "again": job.replacing("%@", with: "interrupted = 'again'"),
      ], in: program, isStarted: false)
    for name in ["once", "again"] { #expect(try server.jobs("allow", name, "--yes").status == 0) }
    var random = SystemRandomNumberGenerator()
    for _ in 0..<8 {
      try server.start()
      usleep(UInt32.random(in: 300_000...1_800_000, using: &random))
      server.end(SIGKILL)
    }
    try server.start()
    try server.wait(for: "ok after", times: 2)
    #expect(server.end() == 0)

    let database = try SQLiteConnection(path: try database(program), mustExist: true)
    for name in ["once", "again"] {
      let rows = try database.query(
        "SELECT id, due, state, attempt, interruptions FROM run WHERE job = ? ORDER BY due", .text(name))
      let dues = rows.compactMap { $0["due"].integer }
      #expect(dues.count > 5)
      #expect(zip(dues, dues.dropFirst()).allSatisfy { $1 - $0 == 1000 }, "\(name): \(dues)")
      let marks = try FileManager.default.contentsOfDirectory(atPath: program.folder.appending(path: "marks").path)
        .filter { $0.hasPrefix(name) }
      for row in rows {
        let id = row["id"].integer ?? 0
        let state = row["state"].text ?? ""
        let tries = marks.count { $0.hasPrefix("\(name)-\(id)-") }
        #expect(tries <= (row["attempt"].integer ?? 0), "\(name) \(id): \(state)")
        if name == "once" { #expect(tries <= 1) }
        if state == "ok" { #expect(tries >= 1) }
        #expect(["ok", "interrupted", "due", "failed"].contains(state), "\(name) \(id): \(state)")
      }
      let memory = try database.first("SELECT memory FROM job WHERE name = ?", .text(name))?["memory"].text ?? ""
      let count = memory.firstMatch(of: #/"count":(\d+)/#).flatMap { Int($0.output.1) } ?? 0
      #expect(memory.contains(String(repeating: "\(count)", count: 10000)))
    }
    // Nothing of the servers is left.
    let left = try program.run(
      list: ["-f", "\(program.folder.lastPathComponent)"], executable: URL(filePath: "/usr/bin/pgrep"))
    #expect(left.output.isEmpty, "\(left)")
  }

  private func database(_ program: Program) throws -> String {
    let folder = program.folder.appending(path: ".local/state/b2c-run/jobs")
    let name = try FileManager.default.contentsOfDirectory(atPath: folder.path).first ?? ""
    return folder.appending(path: "\(name)/jobs.db").path
  }
}
