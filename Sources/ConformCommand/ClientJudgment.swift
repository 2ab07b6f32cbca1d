import Automation
import CommandLine
import Conform
import ConformClient
import Core
import Files
import Glibc
import HostLoop
import LocalTenant

/// One run of `conform client`.
@HostActor
struct ClientJudgment {
  /// Seconds of one run of the program without --timeout.
  private static let usualTimeout = 20.0

  let command: ConformCommand
  let run: RunOptions
  let console: Console

  func judge(_ words: [String]) async throws -> ExitStatus {
    let settings = try settings(Array(words.dropFirst()))
    let checks = ClientCheck.all.filter { command.selection.has($0.check) }
    let conform = try ClientConform(settings, checks, concurrency: max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
    let result = try await conform.run(settings.words.joined(separator: " ")) { done, all in
      console.show(progress: "\(done) of \(all) checks")
    }
    console.finish(progress: "")
    return try ResultOutput(options: command.results, console: console).give(result)
  }

  private func settings(_ words: [String]) throws -> ProgramSettings {
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
    var settings = ProgramSettings(
      words: words, folder: FileSystem.realPath(".") ?? ".", environment: environment)
    let options = command.client
    settings.variables = options.variables
    settings.files = try options.files.map { (path: $0.path, text: try Self.text($0.text)) }
    (settings.ready, settings.success, settings.failure) = (options.ready, options.success, options.failure)
    settings.takesURLFromOutput = options.takesURLFromOutput
    settings.visit = options.visit
    settings.timeout = run.timeout ?? Self.usualTimeout
    settings.concurrency = options.jobs
    settings.isB2C = options.kind == .b2c
    settings.isConfidential = options.isConfidential
    return settings
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
