import Automation
import Core
import HostLoop
import ImportReport
import Lua
import LuaKit

final class Progress: LuaObject {
  private let console: Console
  private let label: String
  private let total: Int?
  private var done = 0
  private var isFinished = false
  private var lastDrawn = ContinuousClock.Instant?.none

  init(_ console: Console, label: String, total: Int?) {
    self.console = console
    self.label = label.displayable
    self.total = total
  }

  func update(_ done: Int) {
    guard !isFinished else { return }
    self.done = done
    // Ten times a second is as fast as anyone reads.
    let now = ContinuousClock.now
    if let lastDrawn, now - lastDrawn < .milliseconds(100), done != total { return }
    lastDrawn = now
    console.show(progress: line)
  }

  func finish() {
    guard !isFinished else { return }
    isFinished = true
    console.finish(progress: "")
  }

  private var line: String {
    let prefix = label.isEmpty ? "" : label + "  "
    guard let total, total > 0 else { return prefix + ProgressLine.grouped(done) }
    let fraction = min(1, max(0, Double(done) / Double(total)))
    let figures = "  \(ProgressLine.percent(fraction))  \(ProgressLine.grouped(done)) of \(ProgressLine.grouped(total))"
    let room = console.width - prefix.count - figures.count - 1
    return prefix + ProgressLine.bar(fraction, length: max(0, min(32, room))) + figures
  }

  static let luaType = HostType(
    "progress", "A progress bar on standard error.",
    methods: [
      method("progress:update", "Sets the amount done.", Parameter("done", .integer, "The amount.")) {
        progress, arguments in
        progress.update(Int(arguments[1].integer ?? 0))
        return []
      },
      method(
        "progress:advance", "Increases the amount done.", .optional("by", .integer, "The increase; 1 if not given.")
      ) { progress, arguments in
        let (done, isTooMuch) = progress.done.addingReportingOverflow(Int(arguments[1].integer ?? 1))
        guard !isTooMuch else { throw arguments.failure("argument 1: more than an integer can count") }
        progress.update(done)
        return []
      },
      method("progress:finish", "Removes the bar.") { progress, _ in
        progress.finish()
        return []
      },
    ], close: { ($0 as? Progress)?.finish() }, describe: { _ in "progress" })
}
