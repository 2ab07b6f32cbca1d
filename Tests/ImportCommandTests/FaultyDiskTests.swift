import CommandLineSupport
import Foundation
import Testing

/// Account stores on disks that are full or may not be written: real ones, mounted where only the test sees them.
@Suite(.enabled(if: Program.canMount)) struct FaultyDiskTests {
  static let script = """
    local b2c = require "b2c"
    local accounts, tenant = b2c.accounts, b2c.tenant
    local account = accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
    local file = io.open("store/fill", "w")
    file:setvbuf("no")
    while file:write(("x"):rep(1024)) do end
    file:close()
    local before = #tenant.requests()
    print(select(2, pcall(account.refresh, account)))
    print("requests", #tenant.requests() - before)
    print(select(2, pcall(accounts.sign_in, { agent = "headless", username = "bob", password = "Skyscraper-2" })))
    os.remove("store/fill")
    print(account:refresh(), #accounts.all())
    """

  func run(_ program: Program, _ steps: String...) throws -> Program.Result {
    let lines = ["mkdir store", "mount -t tmpfs -o size=300k,mode=700 none store"] + steps
    return try program.shell("export PROGRAM=$0; unshare -Urm sh -ec \"$1\"", lines.joined(separator: "\n"))
  }

  @Test func aFullDiskIsFoundOutBeforeTheRefreshTokenIsReplaced() throws {
    let program = try Program()
    try program.write("full.lua", Self.script)
    let result = try run(program, "$PROGRAM -A --local --store store full.lua")
    #expect(
      result.output == """
        full.lua:9: the disk with the account store store/accounts.sqlite is full
        requests\t0
        full.lua:11: the disk with the account store store/accounts.sqlite is full
        [secret]\t1

        """, "\(result)")
    #expect(result.status == 0)
  }

  @Test func aServerWithAFullDiskRefusesRequestsAndGoesOnAfterwards() throws {
    let program = try Program()
    try program.write("jobs/hook.lua", "require('b2c').job { on = { webhook = '/h', scheme = 'none' } }")
    let result = try run(
      program, "$PROGRAM serve --state store --hooks 0 2> log & server=$!",
      "while ! grep -q 'serving the jobs' log; do sleep 0.05; done",
      "port=$(sed -n 's/.*webhooks at port //p' log)", "dd if=/dev/zero of=store/fill bs=1k 2> /dev/null || true",
      "for n in 1 2 3 4 5 6 7 8 9; do curl -s -m 30 -X POST http://127.0.0.1:$port/h; done", "rm store/fill",
      "curl -s -m 30 -X POST http://127.0.0.1:$port/h", "kill $server", "wait $server", "cat log >&2")
    #expect(result.status == 0, "\(result)")
    #expect(result.output.contains("The request could not be taken.\n"), "\(result)")
    #expect(result.output.hasSuffix("Accepted.\n"), "\(result)")
    #expect(result.errors.components(separatedBy: "error the jobs stand still: ").count == 2, "\(result)")
    #expect(result.errors.contains("info  the jobs continue"), "\(result)")
    #expect(result.errors.contains("store/jobs.db: database or disk is full"), "\(result)")
  }

  @Test func aReadOnlyDisk() throws {
    let program = try Program()
    let result = try run(
      program, "$PROGRAM --local --store store -e 'print(#b2c.accounts.all())'", "mount -o remount,bind,ro store",
      "$PROGRAM --local --store store -e 'print(#b2c.accounts.all())'")
    #expect(result.output == "0\n")
    #expect(
      result.errors.contains(
        """
        the lock file store/accounts.lock cannot be opened: Read-only file system
          hint: check who owns the folder, or give another one with --store
        """), "\(result)")
    #expect(result.status == 1)
  }
}
