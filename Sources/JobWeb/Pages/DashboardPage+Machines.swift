import Core
import JSON
import Jobs
import Schedule

extension DashboardPage {
  static func machines(_ machines: [JobMachine], own: String?, _ zone: Zone) -> DashboardPage {
    let rows = machines.map { machine in
      let state = machine.state
      let kind = ["planning": "good", "standing by": "quiet", "away": "bad"][state] ?? ""
      let here = machine.name == own ? " <span class=\"quiet\">this one</span>" : ""
      return """
        <tr><td>\(escape(machine.name))\(here)</td><td><span class="badge \(kind)">\(state)</span></td>
        <td>\(escape(moment(machine.since, zone)))</td><td>\(escape(moment(machine.beat, zone)))</td>
        <td class="number">\(machine.running)</td><td class="number">\(machine.queued)</td>
        <td>\(escape(machine.host)), process \(machine.process)</td><td>\(escape(machine.version))</td></tr>
        """
    }
    let table = """
      <div class="wide"><table><tr><th>Machine</th><th>State</th><th>Since</th><th>Last beat</th><th class="number">Running</th>
      <th class="number">Queued</th><th>Host</th><th>Version</th></tr>\(rows.joined(separator: "\n"))</table></div>
      """
    let none = "<p class=\"quiet\">One machine keeps the jobs in its state folder.</p>"
    return DashboardPage(
      "Machines", pause: 5, "<h1>Machines</h1><section class=\"card\">\(rows.isEmpty ? none : table)</section>")
  }

  private static func moment(_ seconds: Double, _ zone: Zone) -> String { zone.civil(at: Int64(seconds * 1000)).text }
}

extension JobMachine {
  /// `planning`, `standing by` or `away`.
  var state: String { isPlanning ? "planning" : isAlive ? "standing by" : "away" }

  var json: JSON {
    [
      "name": .string(name), "state": .string(state), "host": .string(host), "process": .integer(process),
      "version": .string(version), "since": .instant(Int64(since * 1000)), "beat": .instant(Int64(beat * 1000)),
      "running": .integer(Int64(running)), "queued": .integer(Int64(queued)),
    ]
  }
}
