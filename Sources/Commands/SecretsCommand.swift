import Accounts
package import Automation
package import CommandLine
import Core
import Files
import Glibc
import HostLoop
import JSON
import Terminal

/// `b2c-run secrets`
package struct SecretsCommand: Command {
  package static let form = CommandForm(
    "secrets", "keep secrets for scripts: set, list or remove them",
    positions: [
      .init("ACTION", "set, list or remove", choices: SecretsAction.allCases.map(\.rawValue)),
      .init("[NAME]", "the name of the secret"),
    ],
    usage: ["set NAME [--from FILE]", "list [--json]", "remove NAME"])

  package static let flags: [Flag<Self>] = [
    Flag("--from FILE", "with set: read the secret from FILE", with: ["set"], \.file),
    Flag("--json", "with list: print all data as JSON, for programs", with: ["list"], \.isJSON),
  ]

  private var file: String?
  private var isJSON = false

  package init() {}

  package func run(_ words: [String], _ run: RunOptions, _ console: Console) async throws -> ExitStatus {
    let secrets = KeptSecrets(run.session, console)
    switch SecretsAction(rawValue: words[0]) ?? .list {
    case .list:
      guard words.count == 1 else { throw UsageError("secrets list: unexpected argument '\(words[1])'") }
      try await list(secrets, console)
    case .set:
      let name = try nameOfSecret(words)
      try await secrets.store().save(try await readSecret(name, console), name: name)
      console.log(
        .info,
        "set the secret \(name); a webhook of a job names it as secret = \"\(name)\", and a script that reads it needs "
          + "--allow-secret=\(name)")
    case .remove:
      let name = try nameOfSecret(words)
      guard try await secrets.store().removeSecret(name) else {
        let names = try await secrets.store().secrets().map(\.name)
        throw AccountError(
          .noSecret, "there is no secret '\(name)'",
          hint: didYouMean(name, among: names) ?? "b2c-run secrets list lists them")
      }
      console.log(.info, "removed the secret \(name)")
    }
    return .done
  }

  private func nameOfSecret(_ words: [String]) throws -> String {
    guard words.count == 2 else {
      throw UsageError("secrets \(words[0]): NAME is missing", hint: "b2c-run secrets \(words[0]) NAME")
    }
    try KeptSecrets.check(words[1])
    return words[1]
  }

  /// The secret of a file, of standard input, or typed without being shown.
  @HostActor
  private func readSecret(_ name: String, _ console: Console) async throws -> Secret {
    var text: String
    if file == nil, isatty(STDIN_FILENO) == 1, let terminal = ControllingTerminal.shared {
      let typed = try await terminal.line(.secret) {
        console.ask(DecisionText("Secret \(name): "), on: STDERR_FILENO)
      }
      console.asked()
      guard let typed else { throw UsageError("secrets set: nothing was typed") }
      text = typed
    } else {
      let place = file ?? "standard input"
      let bytes: [UInt8]
      do throws(FileFailure) {
        let input = if let file { try PrivateFile.open(file) } else { try OpenFile.standardInput() }
        bytes = try input.contents(limit: 1 << 20)
      } catch { throw UsageError("secrets set: cannot read \(place): \(error.reason)") }
      guard let read = String(validating: bytes, as: UTF8.self) else {
        throw UsageError("secrets set: \(place) is not UTF-8 text", hint: "encode it, for example in Base64")
      }
      text = read
      if text.hasSuffix("\r\n") || text.hasSuffix("\n") { text.removeLast() }
    }
    guard !text.isEmpty else { throw UsageError("secrets set: the secret is empty") }
    return Secret(text)
  }

  @HostActor
  private func list(_ secrets: KeptSecrets, _ console: Console) async throws {
    let all = try await secrets.store().secrets()
    if isJSON {
      let list = all.map {
        JSON.object(["name": .string($0.name), "set": .string(UnixTime(Double($0.savedAt)).iso)])
      }
      return StandardOutput.write(json: JSON.array(list).encoded() + "\n")
    }
    if all.isEmpty { return console.log(.info, "there are no secrets: b2c-run secrets set NAME keeps one") }
    var columns = Columns("NAME", "SET")
    for secret in all {
      columns.add(secret.name, UnixTime(Double(secret.savedAt)).text("%Y-%m-%d %H:%M", inLocalTime: true))
    }
    StandardOutput.write(columns.text)
  }
}

private enum SecretsAction: String, CaseIterable { case set, list, remove }
