import Automation
import CommandLine
import Conform
import ConformClient
import Core
import Files
import HTTPClient
import HostLoop

/// One run of `conform api`.
@HostActor
struct APIJudgment {
  let command: ConformCommand
  let run: RunOptions
  let console: Console

  func judge(_ words: [String]) async throws -> ExitStatus {
    guard words.count > 1 else {
      throw UsageError(
        "conform api: no API is named", hint: "b2c-run conform api http://localhost:8080/api/tasks")
    }
    let settings = try settings(words[1])
    let program = words.count > 2 ? try ProgramSettings(Array(words.dropFirst(2)), command.client, run) : nil
    let comparison = try ResultComparison(command.results)
    let checks = APICheck.all.filter { command.selection.has($0.check) }
    let port = command.api.port ?? (program == nil && settings.token == nil ? APIOptions.usualPort : 0)
    let conform = APIConform(settings, program: program, checks, port: port) { console.log(.info, $0) }
    var result = try await conform.run { done, all in console.show(progress: "\(done) of \(all) checks") }
    console.finish(progress: "")
    comparison.add(to: &result)
    return try ResultOutput(options: command.results, run: run, console: console).give(result)
  }

  private func settings(_ url: String) throws -> APIUnderTest.Settings {
    // The address of a program that is started here may have {port} in it.
    guard let origin = Origin(url.replacing("{port}", with: "1")) else {
      throw UsageError("conform api: expected an http or https address, got '\(url)'")
    }
    guard origin.isLoopback || command.provider.isActive else {
      throw UsageError(
        "conform api: \(origin.host) is not on this machine, and would get about 150 wrong requests",
        hint: "give --active to send them")
    }
    var settings = APIUnderTest.Settings(url: url)
    let options = command.api
    settings.audience = options.audience ?? settings.audience
    settings.scopes = options.scopes ?? settings.scopes
    settings.method = options.method ?? settings.method
    settings.body = options.body
    settings.timeout = run.timeout ?? ProgramSettings.usualTimeout
    settings.http = HTTPClientConfiguration(caFile: run.session.caFile)
    settings.token = try options.tokenFile.map(Self.token)
    return settings
  }

  static func token(_ path: String) throws -> String {
    do {
      let text = String(decoding: try PrivateFile.contents(of: path, limit: 1 << 20), as: UTF8.self)
      guard let token = text.split(whereSeparator: \.isWhitespace).first.map(String.init) else {
        throw UsageError("--token-file: \(path) is empty")
      }
      Redaction.register(token)
      return token
    } catch let error as FileFailure { throw UsageError("--token-file: cannot read \(path): \(error.reason)") }
  }
}
