import Automation
import CommandLine
import Conform
import ConformClient
import Core
import HTTPClient
import HostLoop
import MCP

/// The options of `conform mcp`.
struct MCPOptions: Sendable {
  var version: String?

  static let flags: [Flag<ConformCommand>] = [
    Flag(
      "--spec VERSION", "ask as this version of the protocol; the newest one that the server answers if not given",
      choices: MCPVersion.allCases.map(\.rawValue), with: ["mcp"]
    ) { $0.mcp.version = $1 }
  ]
}

/// One run of `conform mcp`.
@HostActor
struct MCPJudgment {
  let command: ConformCommand
  let run: RunOptions
  let console: Console

  func judge(_ words: [String]) async throws -> ExitStatus {
    let isLocal = run.session.localTenant != nil
    guard words.count > 1 || isLocal else {
      throw UsageError(
        "conform mcp: no MCP server is named", hint: "b2c-run conform mcp https://mcp.example.com/mcp")
    }
    guard words.count == 1 || !isLocal else {
      throw UsageError("conform mcp: --local is a server itself", hint: "leave '\(words[1])' out")
    }
    var selection = command.selection
    selection.profile = selection.profile ?? .mcp
    let comparison = try ResultComparison(command.results)
    let (settings, place) = try isLocal ? (APIUnderTest.Settings(url: ""), .local(.none)) : subject(words)
    let isActive = if case .foreign = place, settings.token == nil { false } else { true }
    let checks = MCPCheck.all.filter { selection.has($0.check) && (isActive || $0.check.danger == .passive) }
    let conform = MCPConform(
      settings, at: place, audience: command.api.audience, scopes: command.api.scopes, version: command.mcp.version,
      checks
    ) { console.log(.info, $0) }
    var result = try await conform.run { done, all in console.show(progress: "\(done) of \(all) checks") }
    console.finish(progress: "")
    comparison.add(to: &result)
    return try ResultOutput(options: command.results, run: run, console: console).give(result)
  }

  private func subject(_ words: [String]) throws -> (APIUnderTest.Settings, MCPConform.Place) {
    let url = words[1]
    // The address of a program that is started here may have {port} in it.
    guard let origin = Origin(url.replacing("{port}", with: "1")) else {
      throw UsageError("conform mcp: expected an http or https address, got '\(url)'")
    }
    var settings = APIUnderTest.Settings(url: url)
    settings.method = "POST"
    settings.timeout = run.timeout ?? ProgramSettings.usualTimeout
    settings.http = HTTPClientConfiguration(caFile: run.session.caFile)
    settings.token = try command.api.tokenFile.map(APIJudgment.token)
    if words.count > 2 {
      return (settings, .program(try ProgramSettings(Array(words.dropFirst(2)), command.client, run)))
    }
    let place: MCPConform.Place = command.api.port.map { .trusting($0) } ?? .foreign
    let isPassive = if case .foreign = place, settings.token == nil { true } else { false }
    guard isPassive || origin.isLoopback || command.provider.isActive else {
      throw UsageError(
        "conform mcp: \(origin.host) is not on this machine, and would get about 60 wrong requests",
        hint: "give --active to send them")
    }
    return (settings, place)
  }
}
