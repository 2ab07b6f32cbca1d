package import Automation
package import CommandLine
import Conform
import ConformClient
import ConformProvider
import Core
import HostLoop
import JSON
import Terminal

/// `b2c-run conform`
package struct ConformCommand: Command {
  package static let form = CommandForm(
    "conform", "judge a provider, a client program, an API or an MCP server by the standards",
    positions: [
      .init(
        "ACTION", "list, show, provider, client, api, mcp or matrix", choices: ConformAction.allCases.map(\.rawValue)),
      .init(
        "[SUBJECT…]",
        "with show: a check; with provider: the issuer or the address of its metadata; with client: a command; with api and mcp: its address, and a command that starts it"
      ),
    ],
    usage: [
      "list [--profile P] [--json]", "show CHECK", "provider URL [options]", "provider --local [options]",
      "provider --settings FILE [options]", "client [options] -- COMMAND…",
      "api URL [options] [-- COMMAND…]", "mcp URL [options] [-- COMMAND…]", "mcp --local [options]", "matrix [options]",
    ], limitsParts: true)

  package static let flags: [Flag<Self>] =
    selectionFlags + ResultOptions.flags + ProviderOptions.flags + ClientOptions.flags
    + APIOptions.flags + MCPOptions.flags + MatrixOptions.flags

  /// The actions that judge something.
  static let judging = ["provider", "client", "api", "mcp"]

  private static let selectionFlags: [Flag<Self>] = [
    Flag(
      "--profile PROFILE", "only the checks of this profile", choices: Profile.allCases.map(\.rawValue),
      with: judging + ["list"]
    ) { $0.selection.profile = $1.flatMap(Profile.init) },
    Flag(
      "--only CHECKS", "only these checks: IDs or their beginnings, separated by commas; * stands for any text",
      with: judging + ["list"]
    ) { $0.selection.only += ($1 ?? "").split(separator: ",").map(String.init) },
    Flag(
      "--level LEVEL", "only the checks of this level and above: must, should, may (all)",
      choices: Rule.Level.allCases.reversed().map(\.rawValue), with: judging + ["list"]
    ) { $0.selection.level = $1.flatMap(Rule.Level.init) ?? .may },
    Flag(
      "--json", "print all data as JSON, for programs", with: judging + ["list", "show", "matrix"],
      \.results.isJSON),
  ]

  var selection = Selection()
  var results = ResultOptions()
  var provider = ProviderOptions()
  var client = ClientOptions()
  var api = APIOptions()
  var mcp = MCPOptions()
  var matrix = MatrixOptions()

  package init() {}

  /// All checks that the program knows.
  static let checks: [Check] =
    ProviderCheck.all.map(\.check) + ClientCheck.all.map(\.check)
    + APICheck.all.map(\.check) + MCPCheck.all.map(\.check)

  package func run(_ words: [String], _ run: RunOptions, _ console: Console) async throws -> ExitStatus {
    try checkSelection()
    switch ConformAction(rawValue: words[0]) ?? .list {
    case .list: try list(words)
    case .show: try show(words)
    case .provider: return try await ProviderJudgment(command: self, run: run, console: console).judge(words)
    case .api: return try await APIJudgment(command: self, run: run, console: console).judge(words)
    case .mcp: return try await MCPJudgment(command: self, run: run, console: console).judge(words)
    case .matrix: return try await MatrixJudgment(command: self, run: run, console: console).judge(words)
    case .client: return try await ClientJudgment(command: self, run: run, console: console).judge(words)
    }
    return .done
  }

  private func checkSelection() throws(UsageError) {
    guard let wrong = selection.unknown(in: Self.checks).first else { return }
    throw UsageError(
      "--only: there is no check '\(wrong)'",
      hint: didYouMean(wrong, among: Self.checks.map(\.id)) ?? "b2c-run conform list lists them")
  }

  @HostActor private func list(_ words: [String]) throws {
    guard words.count == 1 else { throw UsageError("conform list: unexpected argument '\(words[1])'") }
    var selection = selection
    selection.hasAllProfiles = true
    let checks = Self.checks.filter(selection.has)
    if results.isJSON {
      StandardOutput.write(json: JSON.array(checks.map(\.json)).encoded() + "\n")
    } else {
      StandardOutput.write(OutputText(CheckText.list(checks)).text)
    }
  }

  @HostActor private func show(_ words: [String]) throws {
    guard words.count == 2 else { throw UsageError("conform show: expected one check, such as provider.code.once") }
    guard let check = Self.checks.first(where: { $0.id == words[1] }) else {
      throw UsageError(
        "conform show: there is no check '\(words[1])'",
        hint: didYouMean(words[1], among: Self.checks.map(\.id)) ?? "b2c-run conform list lists them")
    }
    if results.isJSON {
      StandardOutput.write(json: check.json.encoded() + "\n")
    } else {
      StandardOutput.write(OutputText(CheckText.page(check, width: Console.helpWidth)).text)
    }
  }
}

enum ConformAction: String, CaseIterable { case list, show, provider, client, api, mcp, matrix }
