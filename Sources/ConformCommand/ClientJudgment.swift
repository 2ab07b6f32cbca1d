import Automation
import CommandLine
import Commands
import Conform
import ConformClient
import Core
import Files
import Glibc
import HTTPServer
import HostLoop
import LocalTenant

/// One run of `conform client`.
@HostActor
struct ClientJudgment {
  let command: ConformCommand
  let run: RunOptions
  let console: Console

  func judge(_ words: [String]) async throws -> ExitStatus {
    var settings = try ProgramSettings(Array(words.dropFirst()), command.client, run)
    settings.tenant.isMCP = command.selection.profile == .mcp
    let comparison = try ResultComparison(command.results)
    let checks = ClientCheck.all.filter { command.selection.has($0.check) }
    let conform = try ClientConform(settings, checks, concurrency: max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
    var result = try await conform.run(settings.words.joined(separator: " ")) { done, all in
      console.show(progress: "\(done) of \(all) checks")
    }
    console.finish(progress: "")
    comparison.add(to: &result)
    return try ResultOutput(options: command.results, run: run, console: console).give(result)
  }
}

extension ProgramSettings {
  /// Seconds of one run of the program without --timeout.
  static let usualTimeout = 20.0

  /// The program of the words behind `--`, which is started as the options say.
  init(_ words: [String], _ options: ClientOptions, _ run: RunOptions) throws {
    guard let program = words.first else {
      throw UsageError(
        "conform client: no program is named", hint: "b2c-run conform client -- python3 app.py {issuer}")
    }
    var environment: [String: String] = [:]
    var variable = environ
    while let text = variable.pointee {
      let parts = String(path: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { environment[String(parts[0])] = String(parts[1]) }
      variable += 1
    }
    guard ProgramSettings.find(program, in: environment["PATH"]) != nil else {
      throw UsageError("conform client: there is no program '\(program)'", hint: "give its path, or a program of PATH")
    }
    self.init(words: words, folder: FileSystem.realPath(".") ?? ".", environment: environment)
    variables = options.variables
    files = try options.files.map { (path: $0.path, text: try Self.text($0.text)) }
    output = options.output
    visit = options.visit
    timeout = run.timeout ?? Self.usualTimeout
    concurrency = options.jobs
    tenant.isB2C = options.kind == .b2c
    if run.tenant.usesTLS { certificate = try TenantCertificate.find().parts }
    isConfidential = options.isConfidential
  }

  /// The text of `--file`, or the contents of the file behind `@`.
  private static func text(_ text: String) throws -> String {
    guard text.hasPrefix("@") else { return text }
    let path = String(text.dropFirst())
    do { return String(decoding: try FileSystem.contents(of: path, limit: 1 << 20), as: UTF8.self) } catch {
      throw UsageError("--file: cannot read \(path): \(error.reason)")
    }
  }
}

extension TenantCertificate {
  fileprivate var parts: (identity: TLSIdentity, path: String) { (identity, path) }
}
