import Automation
import CommandLine
import Core
import Databases
import Files
import Glibc
import HostLoop
import JSON
import JobConditions
import JobProcesses
import JobServer
import Jobs
import Permissions
import Schedule
import Terminal

/// The jobs that the command works on: what it shows, in this file, and what it changes.
@HostActor
struct OpenJobs {
  let options: JobsCommand
  let run: RunOptions
  let console: Console
  let place: JobsPlace
  let zone: Zone
  /// Nil while no server has made one.
  let store: JobStore?
  /// Nil where a server and its commands share a machine.
  let relay: JobRelay?

  init(
    _ options: JobsCommand, _ run: RunOptions, for action: JobsAction, _ words: [String], _ console: Console
  ) async throws {
    self.options = options
    self.run = run
    self.console = console
    let address = try run.jobDatabase
    place = try JobsPlace(
      options.folder, state: options.state,
      needsFolder: address == nil && !(action == .next && Self.isFile(words.first)),
      hint: "--folder names another one, and --store the database of several machines")
    zone = try .local()
    if let address {
      // Whoever only looks needs no key.
      let seal = action.changes ? try await run.jobSeal(console) : nil
      let store = try await JobStore.open(address, seal: seal, console)
      self.store = store
      relay = JobRelay(store, machine: "jobs", zone: zone)
    } else {
      store = place.state.hasDatabase ? try place.state.open(mustExist: true) : nil
      relay = nil
    }
    store?.onDamage { console.log(.error, $0) }
  }

  func perform(_ action: JobsAction, _ words: [String]) async throws -> ExitStatus {
    switch action {
    case .list:
      guard words.isEmpty else {
        throw UsageError("jobs list: unexpected argument '\(words[0])'", hint: "jobs show JOB shows one job")
      }
      try await list()
    case .show: try await show(operand(action, words))
    case .next: try await next(operand(action, words, count: 2), words.dropFirst().first)
    case .run: try await start(operand(action, words, count: .max), Array(words.dropFirst()))
    case .backfill: try await backfill(operand(action, words))
    case .move: try await move(runNumber(operand(action, words)))
    case .reload: try await reload(words)
    case .pause where options.isForAll: try await pauseAll(words)
    case .resume where options.isForAll: try await resumeAll(words)
    case .pause where options.from != nil || options.until != nil:
      throw UsageError(
        "jobs pause: \(options.until == nil ? "--from" : "--until") is for all jobs together",
        hint: "a job that is paused alone stays so until jobs resume; for a maintenance, give --all without a job")
    case .pause:
      return try await each(action, words) { name in
        try await change(name, .pause(job: name), done: "paused") { $0.pauseByHand() }
      }
    case .resume:
      return try await each(action, words) { name in
        try await change(name, .resume(job: name), done: "resumed") { $0.resume() }
      }
    case .allow: return try await each(action, words) { try await allow($0) }
    case .runs: try await runs(words)
    case .log: try await log(runNumber(operand(action, words)))
    case .cancel:
      return try await each(action, words) { word in
        let id = try runNumber(word)
        try await ask(.cancel(run: id))
        console.log(.info, "canceled the run \(id)")
      }
    case .retry:
      return try await each(action, words) { word in
        try await tell(ask(.retry(run: runNumber(word))))
      }
    case .approve, .decline:
      return try await each(action, words) { word in
        let id = try runNumber(word)
        try await ask(.decide(run: id, .init(isApproved: action == .approve)))
        console.log(.info, "\(action.rawValue)d the run \(id)")
      }
    }
    return .done
  }

  /// Does the same for each of the words. The error of one of several does not keep it from the others.
  private func each(
    _ action: JobsAction, _ words: [String], _ body: (String) async throws -> Void
  ) async throws -> ExitStatus {
    let first = try operand(action, words, count: .max)
    guard words.count > 1 else {
      try await body(first)
      return .done
    }
    var status = ExitStatus.done
    for word in words {
      do { try await body(word) } catch {
        console.log(.error, "\(word.displayable): \(ErrorText(error).sentence)")
        status = .failed
      }
    }
    return status
  }

  func operand(_ action: JobsAction, _ words: [String], count: Int = 1) throws(UsageError) -> String {
    let usage = "b2c-run jobs \(action.rawValue) \(action.operands)"
    guard let word = words.first else {
      let missing = action == .pause || action == .resume ? "JOB, or --all," : action.operands
      throw UsageError("jobs \(action.rawValue): \(missing) is missing", hint: "the command is \(usage)")
    }
    guard words.count <= count else {
      throw UsageError(
        "jobs \(action.rawValue): unexpected argument '\(words[count])'", hint: "the command is \(usage)")
    }
    return word
  }

  func runNumber(_ word: String) throws(UsageError) -> Int64 {
    guard let id = Int64(word), id > 0 else {
      let job = place.folder.map { FileSystem.exists("\($0)/\(word).lua") } == true ? " \(word)" : ""
      throw UsageError(
        "jobs: expected the number of a run, got '\(word)'",
        hint: "\(commandLine("jobs runs\(job)")) lists the runs\(job.isEmpty ? "" : " of the job")")
    }
    return id
  }

  // MARK: Jobs

  /// The jobs as the server has them, which looks anew when it is asked. Without a server, as the scripts have them.
  func records() async throws -> [JobRecord] {
    guard try await !isServing(), place.folder != nil else { return try await store?.jobs() ?? [] }
    let stored = try await store?.jobs() ?? []
    let launcher = ScriptLauncher(run.scriptProgram(folder: place.folder?.parentFolder ?? ".", logs: place.state.logs))
    let definitions = try await run.jobFolder(place, launcher).definitions()
    var records = definitions.map { definition in
      var record =
        stored.first { $0.name == definition.name }
        ?? JobRecord(name: definition.name, path: definition.path, created: now)
      (record.path, record.needs) = (definition.path, definition.needs)
      (record.declaration, record.trouble) = (definition.declaration, definition.trouble)
      return record
    }
    let secrets = KeptSecrets(run.session, console)
    let hooks = records.flatMap { record in
      // A declaration that cannot be read is the trouble of its job.
      record.declaration.flatMap { try? JobDeclaration($0, zone: zone) }?.hooks(of: record.name) ?? []
    }
    let warnings = await HookReceiver.pathsWithoutSecrets(hooks) { try await secrets.secret($0) }
    for index in records.indices { records[index].warnings = warnings[records[index].name] ?? [] }
    return records
  }

  func isServing() async throws -> Bool {
    if relay != nil, try await store?.hasPlanner() == true { return true }
    return try await ControlClient.isServing(place.state)
  }

  var now: Int64 { MachineClock().now.wall }

  func overview(_ name: String) async throws -> JobOverview {
    let records = try await records()
    guard let record = records.first(where: { $0.name == name }) else {
      throw JobError.noJob(name, among: records.map(\.name))
    }
    return try await JobOverview(record, store, zone: zone, now: now)
  }

  private func list() async throws {
    var jobs: [JobOverview] = []
    for record in try await records() { jobs.append(try await JobOverview(record, store, zone: zone, now: now)) }
    if options.isJSON { return write(.array(jobs.map(\.json))) }
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
    try await tellPause()
    for job in jobs {
      if let problem = job.problem(commandLine) { console.log(job.state == "broken" ? .error : .warn, problem) }
      for warning in job.record.warnings { console.log(.warn, "the job \(job.record.name): \(warning)") }
    }
  }

  private func show(_ name: String) async throws {
    let job = try await overview(name)
    if options.isJSON {
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
    try await tellPause()
    guard !job.runs.isEmpty else { return }
    StandardOutput.write("\n")
    try await table(job.runs)
  }

  /// True for the file of a script, in place of the name of a job.
  private static func isFile(_ word: String?) -> Bool { word?.contains { $0 == "/" || $0 == "." } == true }

  private func next(_ name: String, _ number: String?) async throws {
    guard let count = Int(number ?? "5"), (1...1000).contains(count) else {
      throw UsageError("jobs next: expected a number from 1 to 1000, got '\(number ?? "")'")
    }
    let declaration: JobDeclaration
    if Self.isFile(name) {
      let launcher = ScriptLauncher(run.scriptProgram(folder: ".", logs: place.state.logs))
      declaration = try JobDeclaration(try await launcher.declaration(of: name), zone: zone)
    } else {
      let job = try await overview(name)
      guard let found = job.declaration else { throw JobError("bad_job", job.trouble ?? "the job \(name) is broken") }
      declaration = found
    }
    var from = now
    if let text = options.from {
      do { from = try Schedule.moment(of: text, in: zone) } catch {
        throw UsageError("--from: \(error.message)", hint: error.hint)
      }
    }
    let times = declaration.dueTimes(of: name, after: from, count: count)
    if options.isJSON {
      return write(
        .array(
          times.map { .object(["due": .instant($0.time), "on": .string($0.trigger), "zone": .string($0.zone.name)]) }))
    }
    if times.isEmpty { return console.log(.info, "the job \(name) has no due times") }
    var columns = Columns("DUE", "", "ON")
    for time in times { columns.add(moment(time.time, time.zone), distance(time.time), time.trigger) }
    StandardOutput.write(columns.text)
  }

  // MARK: Texts

  func write(_ json: JSON) { StandardOutput.write(json: OutputText(json.encoded()).text + "\n") }

  func moment(_ time: Int64, _ zone: Zone) -> String {
    zone.civil(at: time).text + (zone.name == self.zone.name ? "" : " \(zone.name)")
  }

  func distance(_ time: Int64) -> String {
    UnixTime(Double(time) / 1000).distance(from: UnixTime(Double(now) / 1000))
  }

  private func result(_ run: RunRecord) -> String {
    "\(run.state.rawValue) \(distance(run.ended ?? run.created))"
  }
}
