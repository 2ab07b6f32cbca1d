import JSON
import Jobs
import Pages
import Schedule

extension DashboardPage {
  static func machines(_ machines: [JobMachine], own: String?, _ zone: Zone) -> DashboardPage {
    let cards = machines.map { machine in
      let kind = ["planning": "good", "standing by": "quiet", "draining": "warn", "away": "bad"][machine.state] ?? ""
      let facts: [HTML] = [
        .list(HTML(.b, "\(machine.running)"), " running"), .list(HTML(.b, "\(machine.queued)"), " queued"),
        .list("since ", HTML(.b, moment(machine.since, zone))),
        .list("last beat ", HTML(.b, moment(machine.beat, zone))),
        .list("on \(machine.host), process \(machine.process)"), .list("version \(machine.version)"),
      ]
      let head = HTML(
        .div, class: "head", HTML(.h2, machine.name), HTML(.span, class: "badge \(kind)", machine.state),
        machine.name == own ? HTML(.span, class: "quiet", "this one") : nil)
      return HTML(.section, class: "card", head, factList(facts))
    }
    let none = quiet("One machine keeps the jobs in its state folder.")
    return DashboardPage("Machines", pause: 5, HTML(.h1, "Machines"), cards.isEmpty ? none : HTML.list(cards))
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
