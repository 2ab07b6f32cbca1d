import AgentRecords
import AgentTools
package import Automation
package import CommandLine
import Commands
import Core
import Files
import HostLoop
import Permissions

/// `b2c-run mcp`
package struct MCPCommand: Command {
  package static let form = CommandForm(
    "mcp", "give agents your tasks and scripts, with your approval of each change (Model Context Protocol)",
    positions: [
      .init("[FOLDER]", "the folder with the scripts and files; or waiting, approve, decline or log"),
      .init("[DIGEST]", "approve, decline: the digest of the change"),
    ],
    usage: ["[FOLDER] [options]", "waiting", "approve DIGEST", "decline DIGEST", "log [--json] [--last N]"],
    limitsParts: true)

  package static let flags: [Flag<Self>] = [
    Flag("--read-only", "offer no tool that changes something", \.isReadOnly),
    Flag("--reads NAME", "the script NAME of the folder changes nothing: run it without an approval; can occur again") {
      $0.readers.insert($1 ?? "")
    },
    Flag(
      "--approve WHERE", "the place of approvals: anywhere, or elsewhere, so that the client's question does not count",
      choices: ["anywhere", "elsewhere"]
    ) { $0.asksClient = $1 != "elsewhere" },
    Flag(
      "--listen ADDRESS", "serve over HTTP on this machine at ADDRESS, such as 8765; needs --sign-in",
      \.listener.address),
    Flag(
      "--sign-in FILE", "with --listen: the settings of the application that access tokens are for", \.listener.settings
    ),
    Flag(
      "--allow-subject SUBJECT", "with --listen: the person with this subject (sub) may use the server; can occur again"
    ) { $0.listener.subjects.insert($1 ?? "") },
    Flag("--service NAME", "the task service, such as caldav; the task API if not given", \.service),
    Flag("--calls N", "take at most N calls a minute; 120 if not given") {
      $0.calls = try number($1 ?? "", "--calls", 1...100_000)
    },
    Flag("--json", "log, waiting: print all data as JSON, for programs", \.isJSON),
    Flag("--last N", "log: show the last N calls; 20 if not given") {
      $0.last = try number($1 ?? "", "--last", 1...100_000)
    },
  ]

  private var isReadOnly = false
  private var readers: Set<String> = []
  private var asksClient = true
  private var service: String?
  private var listener = AgentListener()
  private var calls = 120
  private var isJSON = false
  private var last = 20

  package init() {}

  package func run(_ words: [String], _ run: RunOptions, _ console: Console) async throws -> ExitStatus {
    guard let folder = AgentFolder.usual() else {
      throw UsageError("mcp: there is no place for approvals: neither XDG_DATA_HOME nor HOME is an absolute path")
    }
    if let action = words.first.flatMap(AgentAction.init) {
      let desk = ApprovalTerminal(folder, console)
      switch action {
      case .approve, .decline:
        guard words.count == 2 else {
          throw UsageError("mcp \(words[0]): expected the digest of a change", hint: "b2c-run mcp waiting lists them")
        }
        return try await desk.answer(words[1], approves: action == .approve)
      case .waiting: try desk.list(asJSON: isJSON)
      case .log: try desk.log(last: last, asJSON: isJSON)
      }
      return .done
    }
    guard words.count <= 1 else {
      throw UsageError("mcp: unexpected argument '\(words[1])'", hint: Self.meantAction(words[0]))
    }
    try await serve(words.first, folder, run, console)
    return .done
  }

  @HostActor
  private func serve(_ named: String?, _ records: AgentFolder, _ run: RunOptions, _ console: Console) async throws {
    let given = named ?? "."
    guard let path = FileSystem.realPath(given), FileSystem.isFolder(path) else {
      throw UsageError(
        FileSystem.exists(given) ? "mcp: \(given) is not a folder" : "mcp: there is no folder \(given)",
        hint: Self.meantAction(given) ?? "give the folder with the scripts and files for agents")
    }
    guard run.session.grants == .init() else {
      throw UsageError(
        "mcp: permissions belong to each script",
        hint: "the first comment of a script names them: -- needs: --allow-net=…")
    }
    var options = AgentServer.Options(folder: path)
    (options.isReadOnly, options.readers, options.asksClient) = (isReadOnly, readers, asksClient)
    options.limits.calls = calls
    if let timeout = run.timeout { options.limits.seconds = timeout }
    let program = try run.toolProgram(service: service)
    let server = try await AgentServer(options, program, records, version: run.session.version) {
      console.log(.error, $0)
    }
    defer { server.close() }
    for problem in server.leftOut { console.log(.warn, problem) }
    let scripts = server.scripts.isEmpty ? "no scripts" : "the scripts \(server.scripts.joined(separator: ", "))"
    guard try !listener.isWanted else {
      return try await listener.serve(server.server, run, console) {
        console.log(.info, "serving \(path) with \(scripts) at \($0)")
      }
    }
    console.log(.info, "serving \(path) with \(scripts) on standard input and output")
    try await StandardStreams(server.server).run()
  }

  private static func meantAction(_ word: String) -> String? {
    didYouMean(word, among: AgentAction.allCases.map(\.rawValue))
  }

  private static func number(_ text: String, _ option: String, _ range: ClosedRange<Int>) throws(UsageError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw UsageError("\(option): expected a number from \(range.lowerBound) to \(range.upperBound), got '\(text)'")
    }
    return number
  }
}

private enum AgentAction: String, CaseIterable { case waiting, approve, decline, log }
