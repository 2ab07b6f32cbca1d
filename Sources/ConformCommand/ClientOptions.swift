import Automation
import CommandLine
import ConformClient
import LocalTenant

/// The options of `conform client`.
struct ClientOptions: Sendable {
  var variables: [(name: String, value: String)] = []
  var files: [(path: String, text: String)] = []
  var output = OutputSigns()
  var visit: String?
  var jobs: Int?
  var isConfidential = false
  var kind = TenantKind.externalID

  private static let actions = ["client"]
  /// The options about a program that is started.
  private static let starting = ["client", "api", "mcp"]

  static let flags: [Flag<ConformCommand>] = [
    Flag("--env NAME=VALUE", "set a variable of the program; {issuer} and others are replaced", with: starting) {
      let (name, value) = try Self.pair($1, "--env")
      $0.client.variables.append((name, value))
    },
    Flag(
      "--file PATH=TEXT", "write a file before each start; {issuer} and others are replaced; @FILE reads the text",
      with: starting
    ) {
      let (path, text) = try Self.pair($1, "--file")
      $0.client.files.append((path, text))
    },
    pattern("--ready PATTERN", "the output of a program that is ready for --visit", \.client.output.ready),
    pattern("--success PATTERN", "the output or page that means that the user is signed in", \.client.output.success),
    pattern(
      "--failure PATTERN", "the output or page that means that the user is not signed in", \.client.output.failure),
    Flag(
      "--url-from-output", "open an address that the program prints in the browser", with: actions,
      \.client.output.hasURL),
    Flag("--visit URL", "open this page of a web application in the browser", with: actions, \.client.visit),
    Flag("--confidential", "give the program the application with a secret", with: actions, \.client.isConfidential),
    Flag("--jobs N", "start the program N times at once (one for each processor if not given)", with: actions) {
      guard let number = $1.flatMap({ Int($0) }), (1...64).contains(number) else {
        throw UsageError("--jobs: expected a number from 1 to 64, got '\($1 ?? "")'")
      }
      $0.client.jobs = number
    },
    Flag(
      "--kind KIND", "let the tenant imitate external_id, which is the default, or b2c",
      choices: TenantKind.allCases.map(\.rawValue), with: actions
    ) { $0.client.kind = $1.flatMap(TenantKind.init) ?? .externalID },
  ]

  private static func pattern(
    _ spelling: String, _ doc: String, _ property: any WritableKeyPath<ConformCommand, OutputPattern?> & Sendable
  ) -> Flag<ConformCommand> {
    Flag(spelling, doc, with: actions) { command, text in
      guard let pattern = OutputPattern(text ?? "") else {
        throw UsageError("\(spelling.prefix { $0 != " " }): '\(text ?? "")' is not a regular expression")
      }
      command[keyPath: property] = pattern
    }
  }

  private static func pair(_ text: String?, _ option: String) throws(UsageError) -> (String, String) {
    let parts = (text ?? "").split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty else {
      throw UsageError("\(option): expected NAME=VALUE, got '\(text ?? "")'", hint: "\(option) ISSUER={issuer}")
    }
    return (parts[0], parts[1])
  }
}
