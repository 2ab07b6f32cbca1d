import CommandLineSupport
import Foundation
import Testing

/// The plans of a sync: to look at, to apply, to take back.
extension TaskServiceTests {
  /// Runs lines of bash with Radicale. `sync` syncs the local tenant and the server, `show` prints the tasks of both.
  private func run(_ lines: String) throws -> Program.Result {
    let script = """
      run="$0 --quiet --local=data --set services.caldav.url=$SERVICE_URL --set services.caldav.username=alice"
      sync="$run sync tasks caldav --journal home.sync"
      there() { $run tasks list --service caldav | grep "$1" | cut -d' ' -f1; }
      show() {
        for service in tasks caldav; do
          $run tasks list --service $service --json | grep -E '"(text|due|completed)"' | tr -d ' \\n,' | sed 's/"completed"/\\n/g; s/"//g' | sort | tr '\\n' ' '
          echo
        done
      }
      \(lines)
      """
    return try run(
      with: "radicale", try program(for: "radicale"), ["/bin/bash", "-c", script, Program.binary.path])
  }

  @Test(
    "a sync is planned for both sides, applied as planned, and taken back on both sides; the next run plans it again")
  func syncPlans() throws {
    let result = try run(
      """
      $run tasks add One --due 2027-01-31 >/dev/null; $run tasks add Two >/dev/null
      $run tasks add Three --service caldav >/dev/null
      echo planned; $sync --plan monday --report monday; test ! -e home.sync && ls
      echo applied; $sync --plan monday --apply; echo again; $sync --plan monday --apply; $sync; ls
      $run tasks complete 1 >/dev/null; $run tasks remove 2 --yes >/dev/null; $run tasks add Four >/dev/null
      $run tasks due $(there Three) 2027-05-05 --service caldav >/dev/null
      echo changed; $sync --plan p.json; show
      $run tasks edit $(there One) Uno --service caldav >/dev/null
      echo late; $sync --plan p.json --apply; echo "status $?"; show
      echo next; $sync --apply; show
      echo back; $sync --undo --apply; show; echo planned again; $sync
      echo further back; $sync --undo --apply; show
      echo forward; $sync --apply >/dev/null; $sync; show
      """)
    for part in [
      """
      planned
      + b  One
      + b  Two
      + a  Three

      a (tasks), monday.a.json: 1 to create

      action    row  text   what
      create      1  Three

      b (caldav), monday.b.json: 2 to create

      """, "\ndata\nmonday.a.html\nmonday.a.json\nmonday.b.html\nmonday.b.json\napplied\na (tasks): 1 created\n",
      "again\nan earlier run has done it\n0 new, 0 changed, 0 removed, 0 conflicts, 0 failed\n",
    ] { #expect(result.output.contains(part), "\(part): \(result)") }
    #expect(!result.output.contains("home.sync.a.json"), "\(result)")
  }
}
