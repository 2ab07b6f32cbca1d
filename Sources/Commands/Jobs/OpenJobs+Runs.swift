import Automation
import CommandLine
import Core
import HostLoop
import JSON
import JobServer
import Jobs
import Schedule
import Terminal

extension OpenJobs {
  func history() throws(JobError) -> JobStore {
    guard let store else {
      throw JobError(
        "no_history", "no server has run with the state folder \(place.state.path)",
        hint: "start one with b2c-run serve")
    }
    return store
  }

  func runs(_ words: [String]) async throws {
    guard words.count < 2 else {
      throw UsageError("jobs runs: unexpected argument '\(words[1])'", hint: "the command is b2c-run jobs runs [JOB]")
    }
    var filter = JobStore.Filter()
    filter.job = words.first
    (filter.failed, filter.text) = (options.list.isFailedOnly, options.list.text)
    if let text = options.list.since {
      do {
        filter.since =
          text.first?.isNumber == true && !text.contains("-")
          ? now - (try Interval.milliseconds(of: text)) : try Schedule.moment(of: text, in: zone)
      } catch {
        throw UsageError(
          "--since: \(error.message)", hint: "\(error.hint.map { "\($0); " } ?? "")2d means two days ago")
      }
    }
    // One more run shows that there are more.
    (filter.before, filter.limit) = (options.list.before, options.list.limit + 1)
    var runs = try await history().runs(filter)
    let hasMore = runs.count > options.list.limit
    if hasMore { runs.removeLast() }
    defer {
      if hasMore, let last = runs.last {
        console.log(
          .info,
          "these are the newest \(runs.count); --before \(last.id) lists earlier ones, and --limit N more at once")
      }
    }
    if let name = words.first, runs.isEmpty, try await history().job(name) == nil,
      !(try await history().jobsWithRuns().contains(name))
    {
      guard Int64(name) == nil else {
        throw JobError(
          "no_job", "there is no job \(name)", hint: "\(commandLine("jobs log \(name)")) shows the run \(name)")
      }
      throw JobError.noJob(name, among: try await history().jobs().map(\.name))
    }
    if options.isJSON { return write(.array(runs.map(\.overview))) }
    if runs.isEmpty { return console.log(.info, "there are no such runs") }
    try await table(runs)
  }

  func table(_ runs: [RunRecord]) async throws {
    let open = runs.contains { $0.state == .due } ? try await OpenRuns(history(), zone, now: now) : nil
    // Only where there are several.
    let hasMachines = runs.contains { $0.machine != nil }
    var columns = Columns(
      ["RUN", "JOB", "EVENT", "RESULT", "DUE OR CREATED", "TOOK"] + (hasMachines ? ["MACHINE"] : []) + ["REASON"])
    for run in runs {
      let state = run.state.rawValue + (run.attempt > 1 ? " (attempt \(run.attempt))" : "")
      let many = run.count > 1 ? " ×\(run.count)" : ""
      columns.add(
        ["\(run.id)", run.job, run.kind, state, moment(run.due ?? run.created, zone) + many, run.took ?? "-"]
          + (hasMachines ? [run.machine ?? "-"] : []) + [
            OutputText(run.error?.message ?? open?.reason(of: run) ?? run.reason ?? "").text
          ])
    }
    StandardOutput.write(columns.fitted)
  }

  /// Prints what a run has printed. Output of this machine comes while the run continues, output of another machine at its end.
  func log(_ id: Int64) async throws {
    guard var run = try await history().run(id) else { throw JobError.noRun(id) }
    let own = relay == nil ? nil : place.state.machine
    // Goes on with the part that is printed already.
    var reader: LogReader?
    if !options.isJSON, options.follows, run.state.isOpen, run.machine == own {
      reader = LogReader(run: id, in: place.state.logs)
    } else if options.follows, run.state.isOpen, let machine = run.machine, machine != own {
      console.log(.info, "the run \(id) continues on the machine \(machine); its log comes here when it ends")
    }
    while options.follows, run.state.isOpen {
      if let reader, run.machine == own { StandardOutput.write(data: try reader.rest()) }
      StandardOutput.flush()
      try await HostLoop.shared.sleep(seconds: 0.2)
      guard let current = try await history().run(id) else { break }
      run = current
    }
    let log = try await RunLog(of: run, history(), in: place.state.logs, own: own)
    if options.isJSON {
      guard case .object(let members) = run.overview, case .object(let texts) = log.json else { return }
      return write(.object(members.merging(texts) { $1 }))
    }
    if let reader { StandardOutput.write(data: try reader.rest()) }
    print(log, isOwnPrinted: reader != nil, own: own)
    if let error = run.error {
      let text = [error.place, error.message].compactMap(\.self).joined(separator: ": ")
      let next = run.state == .retry ? run.wake.map { "; the run is tried again at \(moment($0, zone))" } : nil
      // The error is not new: it has the time of its run.
      console.log(.error, text + (next ?? ""), at: (run.ended ?? run.started).map { UnixTime(Double($0) / 1000) })
      if let hint = error.hint { console.write("  hint: \(hint.displayable)") }
    }
    if let machine = log.missing.last {
      let command = commandLine("jobs log \(id)\(run.state.isOpen ? " --follow" : "")")
      if let problem = log.problem(hint: "on \(machine): \(command)") { throw problem }
    }
  }

  private func print(_ log: RunLog, isOwnPrinted: Bool, own: String?) {
    let hasSeveral = log.parts.count + log.missing.count > 1
    for machine in log.missing where !log.parts.isEmpty {
      console.log(.warn, "the log of another attempt is on the machine \(machine)")
    }
    for part in log.parts where !isOwnPrinted || part.machine != own {
      if hasSeveral || part.isCut { console.log(.info, part.title) }
      // Somebody else may have written the text of another machine into the database.
      StandardOutput.write(data: part.machine == own ? part.text : part.text.displayableLines)
      if part.text.last.map({ $0 != "\n" }) == true, hasSeveral { StandardOutput.write("\n") }
      StandardOutput.flush()
    }
  }
}
