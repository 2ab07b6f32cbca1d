import Automation
import Core
import Files
import Glibc
import HostLoop
import JSON
import Jobs
import Lua
import LuaBindings
import Permissions
import PostgreSQL
import Schedule
import Storage

extension Command {
  static let jobs = Command(
    "jobs", "list the jobs of a folder and their runs, and control them",
    flags: JobsOptions.places + [
      Flag("--folder DIR", "the folder with the scripts; jobs if not given", \.jobs.folder),
      Flag("--failed", "with runs: list only runs that failed", \.jobs.isFailedOnly),
      Flag("--since TIME", "with runs: list only runs since a time such as 2027-01-31 18:00, or 2d", \.jobs.since),
      Flag("--from TIME", "with next: begin at a time such as 2027-01-31 18:00", \.jobs.from),
      Flag("--follow", "with log: wait for more until the run ends", \.jobs.follows),
      Flag("--yes", "with allow: do not ask", \.jobs.isAgreed),
      Flag("--json", "print all data as JSON, for programs", \.isJSON),
    ],
    positions: [
      .init("[ACTION]", "list if not given", choices: JobsAction.allCases.map(\.rawValue)),
      .init("[NAME]", "the name of a job, or the number of a run"), .init("[ARG…]", "more arguments"),
    ],
    usage: JobsAction.allCases.map { "\($0.rawValue)\($0.operands.isEmpty ? "" : " \($0.operands)")" }
  ) { invocation, console in
    let action = JobsAction(rawValue: invocation.arguments.first ?? "") ?? .list
    return try await JobsCommand(open: invocation, for: action, console).run(
      action, Array(invocation.arguments.dropFirst()))
  }
}

private enum JobsAction: String, CaseIterable {
  case list, show, next, run, pause, resume, allow, runs, log, cancel, retry

  /// True if the action is more than a look.
  var changes: Bool {
    switch self {
    case .list, .show, .next, .runs, .log: false
    case .run, .pause, .resume, .allow, .cancel, .retry: true
    }
  }

  /// The words behind the action, as help shows them.
  var operands: String {
    switch self {
    case .list: ""
    case .show, .pause, .resume, .allow: "JOB"
    case .next: "JOB|FILE [N]"
    case .run: "JOB [-- ARG…]"
    case .runs: "[JOB]"
    case .log, .cancel, .retry: "RUN"
    }
  }
}

@HostActor
private struct JobsCommand {
  private let invocation: Invocation
  private let console: Console
  private let place: JobsPlace
  private let zone: Zone
  /// Nil while no server has made one.
  private let store: JobStore?
  /// Nil where a server and its commands share a machine.
  private let relay: JobRelay?

  init(open invocation: Invocation, for action: JobsAction, _ console: Console) async throws {
    self.invocation = invocation
    self.console = console
    let address = try invocation.jobDatabase
    place = try JobsPlace(
      invocation.jobs,
      needsFolder: address == nil && !(action == .next && Self.isFile(invocation.arguments.dropFirst().first)),
      hint: "--folder names another one, and --store the database of several machines")
    zone = try .local()
    if let address {
      // Whoever only looks needs no key.
      let seal = action.changes ? try await invocation.jobSeal(console) : nil
      let store = try await JobStore.open(address, seal: seal, console)
      self.store = store
      relay = JobRelay(store, machine: "jobs", zone: zone)
    } else {
      store = place.state.hasDatabase ? try place.state.open(mustExist: true) : nil
      relay = nil
    }
    store?.onDamage { console.log(.error, $0) }
  }

  func run(_ action: JobsAction, _ words: [String]) async throws -> ExitStatus {
    switch action {
    case .list:
      guard words.isEmpty else {
        throw UsageError("jobs list: unexpected argument '\(words[0])'", hint: "jobs show JOB shows one job")
      }
      try await list()
    case .show: try await show(operand(action, words))
    case .next: try await next(operand(action, words, count: 2), words.dropFirst().first)
    case .run: try await start(operand(action, words, count: .max), Array(words.dropFirst()))
    case .pause: try await change(operand(action, words), "pause") { $0.pauseByHand() }
    case .resume: try await change(operand(action, words), "resume") { $0.resume() }
    case .allow: return try await allow(operand(action, words))
    case .runs: try await runs(words)
    case .log: try await log(runNumber(operand(action, words)))
    case .cancel:
      let id = try runNumber(operand(action, words))
      try await ask(["op": "cancel", "run": .integer(id)])
      console.log(.info, "canceled the run \(id)")
    case .retry: try await tell(ask(["op": "retry", "run": .integer(runNumber(operand(action, words)))]))
    }
    return .done
  }

  private func operand(_ action: JobsAction, _ words: [String], count: Int = 1) throws(UsageError) -> String {
    let usage = "b2c-run jobs \(action.rawValue) \(action.operands)"
    guard let word = words.first else {
      throw UsageError("jobs \(action.rawValue): \(action.operands) is missing", hint: "the command is \(usage)")
    }
    guard words.count <= count else {
      throw UsageError(
        "jobs \(action.rawValue): unexpected argument '\(words[count])'", hint: "the command is \(usage)")
    }
    return word
  }

  private func runNumber(_ word: String) throws(UsageError) -> Int64 {
    guard let id = Int64(word), id > 0 else {
      throw UsageError("jobs: expected the number of a run, got '\(word)'", hint: "b2c-run jobs runs lists the runs")
    }
    return id
  }

  // MARK: Jobs

  /// The jobs as the server has them. Without a server, as the scripts have them.
  private func records() async throws -> [JobRecord] {
    let stored = try await store?.jobs() ?? []
    guard try await !isServing(), place.folder != nil else { return stored }
    let launcher = try invocation.scriptLauncher(folder: place.folder?.parentFolder ?? ".", logs: place.state.logs)
    let definitions = try await invocation.jobFolder(place, launcher).definitions()
    return definitions.map { definition in
      var record =
        stored.first { $0.name == definition.name }
        ?? JobRecord(name: definition.name, path: definition.path, created: now)
      (record.path, record.needs) = (definition.path, definition.needs)
      (record.declaration, record.trouble) = (definition.declaration, definition.trouble)
      return record
    }
  }

  private func isServing() async throws -> Bool {
    if relay != nil, try await store?.hasPlanner() == true { return true }
    do { return try await ControlClient.ask(["op": ""], in: place.state) != nil } catch let error as JobError {
      guard error.code == "no_command" else { throw error }
      return true
    }
  }

  private var now: Int64 { MachineClock().now.wall }

  private func overview(_ name: String) async throws -> JobOverview {
    let records = try await records()
    guard let record = records.first(where: { $0.name == name }) else {
      throw JobError.noJob(name, among: records.map(\.name))
    }
    return try await JobOverview(record, store, zone: zone, now: now)
  }

  private func list() async throws {
    var jobs: [JobOverview] = []
    for record in try await records() { jobs.append(try await JobOverview(record, store, zone: zone, now: now)) }
    if invocation.isJSON { return write(.array(jobs.map(\.json))) }
    if jobs.isEmpty {
      return console.log(.info, "there are no jobs in \(place.folder == nil ? store?.place ?? place.name : place.name)")
    }
    var columns = Columns("JOB", "STATE", "NEXT", "LAST", "ON")
    for job in jobs {
      columns.add(
        job.record.name, job.state, job.next.map { moment($0, job.zone) } ?? "-", job.last.map(result) ?? "-",
        job.triggers.joined(separator: ", "))
    }
    StandardOutput.write(columns.fitted)
    for job in jobs {
      if let problem = job.problem(commandLine) { console.log(job.state == "broken" ? .error : .warn, problem) }
      for warning in job.record.warnings { console.log(.warn, "the job \(job.record.name): \(warning)") }
    }
  }

  private func show(_ name: String) async throws {
    let job = try await overview(name)
    if invocation.isJSON {
      guard case .object(var members) = job.json else { return }
      members["runs"] = .array(job.runs.map(\.overview))
      return write(.object(members))
    }
    var lines = [("job", job.record.name), ("summary", job.declaration?.summary ?? ""), ("script", job.record.path)]
    lines += job.triggers.map { ("on", $0) }
    lines += [("state", [job.state, job.reason].compactMap(\.self).joined(separator: ": "))]
    if let next = job.next { lines.append(("next", "\(moment(next, job.zone)), \(distance(next))")) }
    if !job.record.needs.isEmpty { lines.append(("needs", job.record.needs.joined(separator: " "))) }
    if !job.record.allowed.isEmpty { lines.append(("allowed", job.record.allowed.joined(separator: " "))) }
    for (name, text) in lines where !text.isEmpty {
      StandardOutput.write(
        "\(name)\(String(repeating: " ", count: 9 - name.count))\(OutputText(text).text.displayable)\n")
    }
    for warning in job.record.warnings { console.log(.warn, warning) }
    guard !job.runs.isEmpty else { return }
    StandardOutput.write("\n")
    table(job.runs)
  }

  /// True for the file of a script, in place of the name of a job.
  private static func isFile(_ word: String?) -> Bool { word?.contains { $0 == "/" || $0 == "." } == true }

  private func next(_ name: String, _ number: String?) async throws {
    guard let count = Int(number ?? "5"), (1...1000).contains(count) else {
      throw UsageError("jobs next: expected a number from 1 to 1000, got '\(number ?? "")'")
    }
    let declaration: JobDeclaration
    if Self.isFile(name) {
      let launcher = try invocation.scriptLauncher(folder: ".", logs: place.state.logs)
      declaration = try JobDeclaration(try await launcher.declaration(of: name), zone: zone)
    } else {
      let job = try await overview(name)
      guard let found = job.declaration else { throw JobError("bad_job", job.trouble ?? "the job \(name) is broken") }
      declaration = found
    }
    var from = now
    if let text = invocation.jobs.from {
      do { from = try Schedule.moment(of: text, in: zone) } catch {
        throw UsageError("--from: \(error.message)", hint: error.hint)
      }
    }
    let times = declaration.dueTimes(of: name, after: from, count: count)
    if invocation.isJSON {
      return write(
        .array(
          times.map { .object(["due": .instant($0.time), "on": .string($0.trigger), "zone": .string($0.zone.name)]) }))
    }
    if times.isEmpty { return console.log(.info, "the job \(name) has no due times") }
    var columns = Columns("DUE", "", "ON")
    for time in times { columns.add(moment(time.time, time.zone), distance(time.time), time.trigger) }
    StandardOutput.write(columns.text)
  }

  // MARK: Changes

  private func start(_ name: String, _ words: [String]) async throws {
    var command: [String: JSON] = ["op": "run", "job": .string(name)]
    if !words.isEmpty { command["arguments"] = .array(words.map { .string($0) }) }
    try tell(try await ask(.object(command)))
  }

  private func tell(_ answer: JSON) throws {
    if invocation.isJSON { return write(answer) }
    let id = answer["run"]?.lenientInteger ?? 0
    StandardOutput.write("run \(id)\n")
    console.log(.info, "\(commandLine("jobs log \(id) --follow")) shows its output")
  }

  @discardableResult
  private func ask(_ command: JSON) async throws -> JSON {
    if let answer = try await ControlClient.ask(command, in: place.state, tell: notice) { return answer }
    guard let relay else {
      throw JobError(
        "no_server", "no server runs with the state folder \(place.state.path)",
        hint: "start one with b2c-run serve, or run the script by hand: b2c-run \(place.script("NAME"))")
    }
    return try await relay.answer(command, tell: notice)
  }

  /// Tells the person who waits.
  private var notice: @HostActor (String) -> Void { { [console] in console.log(.info, $0) } }

  /// A command as a person types it for these jobs.
  private func commandLine(_ command: String) -> String {
    relay == nil ? "b2c-run \(command)" : invocation.configuration.commandLine(command)
  }

  /// Changes a job by the server, or in the store if no server runs.
  private func change(
    _ name: String, _ operation: String, _ more: [String: JSON] = [:], _ body: (inout JobRecord) -> Void
  ) async throws {
    var command = more
    command["op"] = .string(operation)
    command["job"] = .string(name)
    let answer = try await ControlClient.ask(.object(command), in: place.state, tell: notice)
    if answer == nil, let relay, let store {
      if try await store.hasPlanner() {
        _ = try await relay.answer(.object(command), tell: notice)
      } else {
        var record = try await overview(name).record
        body(&record)
        try await store.save(record)
      }
    } else if answer == nil {
      try place.state.make()
      let lock = try StateLock(place.state)
      defer { withExtendedLifetime(lock) {} }
      var record = try await overview(name).record
      body(&record)
      try await place.state.open().save(record)
    }
    console.log(.info, "\(["pause": "paused", "resume": "resumed"][operation] ?? "allowed") the job \(name)")
  }

  /// Shows what a job needs, and records the yes of a person.
  private func allow(_ name: String) async throws -> ExitStatus {
    let job = try await overview(name)
    // The script of this machine, if it has one, and not what a database says. It may be on other machines alone.
    let own = place.folder.map { "\($0)/\(name).lua" } ?? ""
    let path = FileSystem.exists(own) ? own : job.record.path
    let isHere = relay == nil || FileSystem.exists(path)
    let source = isHere ? try invocation.read(path) : Array("-- needs: \(job.record.needs.joined(separator: " "))".utf8)
    let needs = ScriptHeader(source).needs
    let flags = ScriptHeader.flags(of: source)
    let missing = flags.filter { !job.record.allowed.contains($0) }
    if missing.isEmpty {
      console.log(.info, "the job \(name) needs nothing that is not allowed yet")
      return .done
    }
    let facts =
      ["The job \(name) (\(path)) needs:"]
      + needs.filter { !Set($0.flags).isDisjoint(with: missing) }.map {
        "  \($0.shownFlags.joined(separator: " "))" + ($0.shownReason.isEmpty ? "" : "  \($0.shownReason)")
      }
    if !invocation.jobs.isAgreed {
      guard let answer = PermissionPrompt.person(console).confirm(facts, "Allow it for each run?") else {
        for fact in facts { console.write(fact) }
        throw UsageError("jobs allow: there is no terminal to ask on", hint: "add --yes to allow all of it")
      }
      guard answer else {
        console.log(.info, "nothing has been allowed")
        return .permission
      }
    }
    try await change(name, "allow", ["flags": .array(flags.map { .string($0) })]) { $0.allow(flags) }
    return .done
  }

  // MARK: Runs

  private func history() throws(JobError) -> JobStore {
    guard let store else {
      throw JobError(
        "no_history", "no server has run with the state folder \(place.state.path)",
        hint: "start one with b2c-run serve")
    }
    return store
  }

  private func runs(_ words: [String]) async throws {
    guard words.count < 2 else {
      throw UsageError("jobs runs: unexpected argument '\(words[1])'", hint: "the command is b2c-run jobs runs [JOB]")
    }
    var filter = JobStore.Filter()
    filter.job = words.first
    filter.failed = invocation.jobs.isFailedOnly
    if let text = invocation.jobs.since {
      do {
        filter.since =
          text.first?.isNumber == true && !text.contains("-")
          ? now - (try Interval.milliseconds(of: text)) : try Schedule.moment(of: text, in: zone)
      } catch {
        throw UsageError(
          "--since: \(error.message)", hint: "\(error.hint.map { "\($0); " } ?? "")2d means two days ago")
      }
    }
    let runs = try await history().runs(filter)
    if let name = words.first, runs.isEmpty, try await history().job(name) == nil,
      !(try await history().jobsWithRuns().contains(name))
    {
      throw JobError.noJob(name, among: try await history().jobs().map(\.name))
    }
    if invocation.isJSON { return write(.array(runs.map(\.overview))) }
    if runs.isEmpty { return console.log(.info, "there are no such runs") }
    table(runs)
  }

  private func table(_ runs: [RunRecord]) {
    // Only where there are several.
    let hasMachines = runs.contains { $0.machine != nil }
    var columns = Columns(
      ["RUN", "JOB", "EVENT", "RESULT", "DUE OR CREATED", "TOOK"] + (hasMachines ? ["MACHINE"] : []) + ["REASON"])
    for run in runs {
      let took = run.started.flatMap { started in run.ended.map { UnixTime.span(Double(max(0, $0 - started)) / 1000) } }
      let state = run.state.rawValue + (run.attempt > 1 ? " (attempt \(run.attempt))" : "")
      let many = run.count > 1 ? " ×\(run.count)" : ""
      columns.add(
        ["\(run.id)", run.job, run.kind, state, moment(run.due ?? run.created, zone) + many, took ?? "-"]
          + (hasMachines ? [run.machine ?? "-"] : []) + [run.error?.message ?? run.reason ?? ""])
    }
    StandardOutput.write(columns.fitted)
  }

  /// Prints what a run has printed. While it goes on here, more comes; what is on another machine comes at its end.
  private func log(_ id: Int64) async throws {
    guard var run = try await history().run(id) else { throw JobError.noRun(id) }
    let own = relay == nil ? nil : place.state.machine
    // Goes on with the part that is printed already.
    var reader: LogReader?
    if !invocation.isJSON, invocation.jobs.follows, run.state.isOpen, run.machine == own {
      reader = LogReader(run: id, in: place.state.logs)
    } else if invocation.jobs.follows, run.state.isOpen, let machine = run.machine, machine != own {
      console.log(.info, "the run \(id) goes on on the machine \(machine); its log comes here when it ends")
    }
    while invocation.jobs.follows, run.state.isOpen {
      if let reader, run.machine == own { StandardOutput.write(try reader.rest()) }
      StandardOutput.flush()
      try await HostLoop.shared.sleep(seconds: 0.2)
      guard let current = try await history().run(id) else { break }
      run = current
    }
    let log = try await RunLog(of: run, history(), in: place.state.logs, own: own)
    if invocation.isJSON {
      guard case .object(let members) = run.overview, case .object(let texts) = log.json else { return }
      return write(.object(members.merging(texts) { $1 }))
    }
    if let reader { StandardOutput.write(try reader.rest()) }
    print(log, isOwnPrinted: reader != nil, own: own)
    if let error = run.error {
      console.log(.error, [error.place, error.message].compactMap(\.self).joined(separator: ": "))
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
      StandardOutput.write(part.machine == own ? part.text : part.text.displayableLines)
      if part.text.last.map({ $0 != "\n" }) == true, hasSeveral { StandardOutput.write("\n") }
      StandardOutput.flush()
    }
  }

  // MARK: Texts

  private func write(_ json: JSON) { StandardOutput.write(OutputText(json.encoded()).text + "\n") }

  private func moment(_ time: Int64, _ zone: Zone) -> String {
    zone.civil(at: time).text + (zone.name == self.zone.name ? "" : " \(zone.name)")
  }

  private func distance(_ time: Int64) -> String {
    UnixTime(Double(time) / 1000).distance(from: UnixTime(Double(now) / 1000))
  }

  private func result(_ run: RunRecord) -> String {
    "\(run.state.rawValue) \(distance(run.ended ?? run.created))"
  }
}
