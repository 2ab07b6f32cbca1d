import Core
import JSON
import Jobs
import Schedule

extension DashboardPage {
  static func machines(_ machines: [JobMachine], own: String?, _ zone: Zone) -> DashboardPage {
    let cards = machines.map { machine in
      let kind = ["planning": "good", "standing by": "quiet", "draining": "warn", "away": "bad"][machine.state] ?? ""
      let here = machine.name == own ? "<span class=\"quiet\">this one</span>" : ""
      let facts = [
        "<b>\(machine.running)</b> running", "<b>\(machine.queued)</b> queued",
        "since <b>\(escape(moment(machine.since, zone)))</b>", "last beat <b>\(escape(moment(machine.beat, zone)))</b>",
        "on \(escape(machine.host)), process \(machine.process)", "version \(escape(machine.version))",
      ]
      return """
        <section class="card"><div class="head"><h2>\(escape(machine.name))</h2>
        <span class="badge \(kind)">\(machine.state)</span>\(here)</div>
        <ul class="facts">\(facts.map { "<li>\($0)</li>" }.joined())</ul></section>
        """
    }
    let none = "<p class=\"quiet\">One machine keeps the jobs in its state folder.</p>"
    return DashboardPage(
      "Machines", pause: 5, "<h1>Machines</h1>\(cards.isEmpty ? none : cards.joined(separator: "\n"))")
  }

  private static func moment(_ seconds: Double, _ zone: Zone) -> String { zone.civil(at: Int64(seconds * 1000)).text }
}

extension JobMachine {
  /// `planning`, `standing by`, `draining` or `away`.
  var state: String { isPlanning ? "planning" : isDraining ? "draining" : isAlive ? "standing by" : "away" }

  var json: JSON {
    [
      "name": .string(name), "state": .string(state), "host": .string(host), "process": .integer(process),
      "version": .string(version), "since": .instant(Int64(since * 1000)), "beat": .instant(Int64(beat * 1000)),
      "running": .integer(Int64(running)), "queued": .integer(Int64(queued)),
    ]
  }
}
