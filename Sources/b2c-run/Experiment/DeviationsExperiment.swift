import Automation
import CommandLine
import Core
import Files
import HTTPClient
import HostLoop
import OAuth
import Permissions
import ScriptHost
import Settings
import TraceView

/// `b2c-run experiment --deviations`: a flow that works, with one thing wrong at a time.
extension ExperimentRun {
  /// The largest number of sign-ins of one command.
  private static let mostSignIns = 60

  /// Runs it with each deviation.
  func tryDeviations() async throws -> Experiment {
    guard command.varied.isEmpty, command.sample == nil else {
      throw UsageError(
        "experiment: expected either --deviations or --vary and --sample", hint: "run two experiments")
    }
    let script = try experimentScript()
    try checkReport(script)
    let provider = try await agreedProvider()
    var results = Experiment(name, varied: [], combinations: 0)
    results.provider = provider
    results.command = shownCommandLine
    let folder = try TemporaryPlace.makeFolder("b2c-run-experiment-")
    defer { TemporaryPlace.remove(folder) }

    let watched = DeviationRun()
    try await runOnce(script, trace: "\(folder)/1.json", deviation: watched)
    try Task.checkCancellation()
    try results.add(["nothing wrong"], TraceInput("\(folder)/1.json"))
    try check(results, watched, provider)
    for deviation in Deviation.all {
      let finding = try await finding(of: deviation, watched.facts, script, folder, &results)
      results.findings.append(finding)
    }
    try show(results)
    return results
  }

  /// Asks the user at the terminal, unless the provider is the local tenant. Returns the names of the provider's servers.
  private func agreedProvider() async throws -> String {
    var provider = ""
    _ = try await run.withHost(console) { host in
      let settings = try host.session.settings()
      guard let name = providerName(settings) else {
        throw UsageError("experiment: \(settings.source) names no provider", hint: "put authority into the settings")
      }
      provider = name
      guard run.session.localTenant == nil, !command.isAgreed else { return }
      guard PermissionPrompt.canAsk else {
        throw UsageError(
          "experiment --deviations: nobody can be asked before it signs in with mistakes at \(provider)",
          hint: "run it on a terminal, or give --yes")
      }
      let most = Deviation.all.count + 1
      let facts = [
        "The experiment signs in up to \(most) times at \(provider), with one mistake each time.",
        "The provider may log the mistakes, or lock the user or the application for a while. No account is stored.",
      ]
      guard host.scriptRun.prompt.confirm(facts, "Sign in there?") == true else {
        throw DeviationError(
          .notAgreed, "the experiment was not agreed to, and nothing was sent to \(provider)")
      }
    }
    return provider
  }

  /// The names of the provider's servers; nil if the settings name none.
  func providerName(_ settings: Settings) -> String? {
    if run.session.localTenant != nil { return "the local tenant" }
    let origins = [settings.authority, settings.authURL, settings.tokenURL].compactMap { $0.flatMap { Origin($0) } }
    return origins.isEmpty ? nil : Set(origins.map(\.shown)).sorted().joined(separator: " and ")
  }

  /// The command line for a page that others read: without secrets.
  var shownCommandLine: String {
    let words = CommandLine.arguments.dropFirst().map { word in
      let text = Redaction.forScripts(word.replacing(#/://[^\/@\s]*@/#, with: "://…@"))
      let parts = text.split(separator: "=", omittingEmptySubsequences: false)
      guard let name = parts.dropLast().firstIndex(where: { SecretName.kind($0) != nil }) else { return text }
      return parts[...name].joined(separator: "=") + "=[secret]"
    }
    return (["b2c-run"] + words.map { ShellWord.quoted($0) }).joined(separator: " ")
  }

  /// Checks that the sign-in without a mistake works at the provider of the settings.
  private func check(_ results: Experiment, _ watched: DeviationRun, _ provider: String) throws {
    guard let first = results.runs.first else { return }
    if let problem = first.problem {
      throw DeviationError(
        .flowFailed, "the sign-in fails without a mistake, too: \(problem)",
        hint: "make the sign-in work first, then try deviations")
    }
    guard watched.facts.isAtProvider else {
      throw DeviationError(
        .otherProvider, "the script signed in at another provider than \(provider)",
        hint: "deviations are tried at the provider of the settings alone: name the script's provider there")
    }
    let count = Deviation.all.count { $0.obstacle(watched.facts) == nil } + 1
    guard count * first.signIns <= Self.mostSignIns else {
      throw DeviationError(
        .tooManySignIns,
        "the script signs in \(first.signIns) times, which makes \(count * first.signIns) sign-ins, more than "
          + "\(Self.mostSignIns)", hint: "use a script that signs in once")
    }
  }

  private func finding(
    of deviation: Deviation, _ facts: SignInFacts, _ script: (path: String, source: [UInt8])?, _ folder: String,
    _ results: inout Experiment
  ) async throws -> Finding {
    let rule = deviation.rule(for: facts)
    let shown = Finding.Rule(level: rule.level.rawValue, text: rule.text, source: rule.source)
    if let obstacle = deviation.obstacle(facts) {
      return Finding(deviation.name, deviation.title, shown, .notUsed, obstacle)
    }
    let number = results.runs.count + 1
    let run = DeviationRun(deviation)
    let file = "\(folder)/\(number).json"
    try await runOnce(script, trace: file, deviation: run)
    try Task.checkCancellation()
    try results.add([deviation.title], TraceInput(file))
    let (outcome, detail) = outcome(of: run, deviation, results)
    return Finding(deviation.name, deviation.title, shown, outcome, detail, run: number)
  }

  private func outcome(
    of run: DeviationRun, _ deviation: Deviation, _ results: Experiment
  ) -> (Finding.Outcome, String) {
    switch run.answer {
    case .accepted?: return (.accepted, "")
    case .refused(let code)?: return (.refused, code)
    case .untried(let reason)?: return (.unclear, reason)
    case nil: break
    }
    guard run.hasDeviated else {
      return (.unclear, results.runs.last?.problem ?? "the sign-in did not come to the step")
    }
    guard let last = results.runs.last, !run.needsAnswer || last.problem != nil else {
      return (.unclear, "the sign-in ended without an answer to the deviation")
    }
    return Finding.reading(last, isForClient: deviation.isForClient)
  }
}

extension Origin {
  /// The origin without the usual port.
  fileprivate var shown: String {
    let isUsual = port == (scheme == "https" ? 443 : 80)
    return isUsual ? "\(scheme)://\(host)" : description
  }
}

/// Why an experiment with deviations does not begin.
typealias DeviationError = DomainError<DeviationProblem>

enum DeviationProblem: String, FailureKind {
  case notAgreed = "not_agreed"
  case flowFailed = "flow_failed"
  case otherProvider = "other_provider"
  case tooManySignIns = "too_many_sign_ins"
}
