import Automation
import CommandLine
import Core
import Files
import HostLoop
import JobCode
import JobConditions
import JobServer
import Jobs
import Schedule
import Terminal

/// The actions of an operator: pauses of all jobs, due times of the past, runs that continue with other code.
extension OpenJobs {
  func pauseAll(_ words: [String]) async throws {
    try refuse(words, "pause --all")
    guard options.until != nil || options.from == nil else {
      throw UsageError("--from: a maintenance needs an end", hint: "add --until TIME")
    }
    let window = try options.until.map { text in
      let from = try options.from.map { try moment(of: $0, "--from") } ?? now
      return HostPause.Window(from: from, until: try moment(of: text, "--until"))
    }
    try await changeAll(.pauseAll(window)) { pause in
      if let window { try pause.add(window, now: now) } else { pause.isByHand = true }
    }
    guard let window else {
      return console.log(.info, "paused all jobs; \(commandLine("jobs resume --all")) continues them")
    }
    let (from, until) = (moment(window.from, zone), moment(window.until, zone))
    console.log(.info, "all jobs pause from \(from) until \(until)")
  }

  func resumeAll(_ words: [String]) async throws {
    try refuse(words, "resume --all")
    try await changeAll(.resumeAll) { $0 = HostPause() }
    console.log(.info, "ended the pause of all jobs")
    for job in try await records() where job.pause != nil {
      console.log(.warn, "the job \(job.name) is paused by itself; \(commandLine("jobs resume \(job.name)"))")
    }
  }

  /// Tells that all jobs are paused, or will be.
  func tellPause() async throws {
    guard let notice = try await store?.hostPause().notice(at: now, in: zone) else { return }
    console.log(.warn, "\(notice); \(commandLine("jobs resume --all")) ends that")
  }

  /// Changes the pause of all jobs by the server, or in the store if no server runs.
  private func changeAll(_ command: JobCommand, _ body: (inout HostPause) throws -> Void) async throws {
    if try await isServing() {
      try await ask(command)
      return
    }
    try place.state.make()
    let lock = try relay == nil ? StateLock(place.state) : nil
    defer { withExtendedLifetime(lock) {} }
    let store = try store ?? place.state.open()
    var pause = try await store.hostPause()
    try body(&pause)
    try await store.save(pause)
  }

  func reload(_ words: [String]) async throws {
    try refuse(words, "reload")
    let reply = try await ask(.reload)
    console.log(.info, reply.note ?? "the machine that plans reads the scripts again; its log says what came of it")
  }

  private func refuse(_ words: [String], _ action: String) throws(UsageError) {
    guard let word = words.first else { return }
    throw UsageError("jobs \(action): unexpected argument '\(word)'", hint: "the command is b2c-run jobs \(action)")
  }

  /// The moment that an option names.
  private func moment(of text: String, _ option: String) throws(UsageError) -> Int64 {
    do { return try Schedule.moment(of: text, in: zone) } catch {
      throw UsageError("\(option): \(error.message)", hint: error.hint)
    }
  }

  // MARK: Due times of the past

  /// Runs a job for its due times in the past, after a question.
  func backfill(_ name: String) async throws {
    guard let text = options.from else {
      throw UsageError("jobs backfill: --from TIME is missing", hint: "for example --from 2027-01-01 --to 2027-01-31")
    }
    let from = try moment(of: text, "--from")
    let until = try options.until.map { try moment(of: $0, "--to") } ?? now
    let trial = try await ask(.backfill(job: name, from: from, until: until, isTrial: true))
    let count = trial.count ?? 0
    let runs = count == 1 ? "1 run" : "\(count) runs"
    if let note = trial.note { console.log(.info, note) }
    guard count > 0 else { return console.log(.info, "the job \(name) has no due times there that have not run") }
    let facts = [
      "The job \(name) gets \(runs), for its due times from \(moment(from, zone)) to \(moment(until, zone))."
    ]
    guard try agree(facts, "Make them?", "jobs backfill") else { return console.log(.info, "nothing was started") }
    try await ask(.backfill(job: name, from: from, until: until, isTrial: false))
    console.log(.info, "made \(runs) of the job \(name); \(commandLine("jobs runs \(name)")) lists them")
  }

  /// The answer of a person, or of `--yes`.
  private func agree(_ facts: [String], _ question: String, _ action: String) throws(UsageError) -> Bool {
    if options.isAgreed { return true }
    if let answer = PermissionPrompt.person(console).confirm(facts, question) { return answer }
    for fact in facts { console.write(fact) }
    throw UsageError("\(action): there is no terminal to ask on", hint: "add --yes to agree")
  }

  // MARK: Code

  /// Shows which steps of a run the present script can use, and lets the run continue with the script.
  func move(_ id: Int64) async throws {
    guard options.isToCurrent else {
      throw UsageError(
        "jobs move: --to-current is missing",
        hint: "\(commandLine("jobs move \(id) --to-current")) moves the run to the present script")
    }
    guard let run = try await history().run(id) else { throw JobError.noRun(id) }
    let job = try await overview(run.job)
    let fits = StepFit.of(try await history().steps(of: id).map(\.name), in: try await sources(of: run, job.record))
    let missing = fits.filter { !$0.fits }
    if !fits.isEmpty {
      var columns = Columns("STEP", "RESULTS", "IN THE PRESENT SCRIPT")
      for fit in fits { columns.add(fit.name, "\(fit.count)", fit.fits ? "yes" : "no") }
      StandardOutput.write(columns.fitted)
      StandardOutput.flush()
    }
    if !missing.isEmpty {
      let names = missing.map { "'\($0.name.displayable)'" }.joined(separator: ", ")
      let facts = ["The present script of the job \(run.job) does not use the results of \(names)."]
      guard try agree(facts, "Move the run \(id) nevertheless?", "jobs move") else {
        return console.log(.info, "the run \(id) keeps its code")
      }
    }
    try await ask(.move(run: id))
    let script = "the present script of the job \(run.job)"
    console.log(
      .info,
      run.state.isOpen
        ? "the run \(id) continues with \(script)"
        : "the run \(id) has ended; \(commandLine("jobs retry \(id)")) continues it with \(script)")
  }

  /// The present files of a run: the script of its job, and the modules that the run has loaded.
  private func sources(of run: RunRecord, _ job: JobRecord) async throws -> [[UInt8]] {
    let own = place.folder.map { "\($0)/\(run.job).lua" } ?? job.path
    let base = (place.folder ?? job.path.parentFolder).parentFolder
    let modules = try await history().keptCode(of: run.id)?.code.modules.map(\.path) ?? []
    let paths = [own] + modules.map { $0.hasPrefix("/") ? $0 : "\(base)/\($0)" }.filter { FileSystem.exists($0) }
    return try paths.map { try ScriptFile.read($0) }
  }
}
