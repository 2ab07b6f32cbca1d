import Automation
import CommandLine
import Commands
import Core
import Files
import Glibc
import HTTPClient
import HostLoop
import JSON
import LuaKit
import Parties
import ScriptHost
import Settings
import Setup
import Terminal

/// `b2c-run init`
struct InitCommand: Command {
  static let form = CommandForm(
    "init", "make settings from the address of a provider, and sign in",
    positions: [.init("URL", "the issuer, the authority, or the address of the metadata document")],
    usage: ["URL [options]"])

  static let flags: [Flag<Self>] = [
    Flag("--client-id ID", "the client ID of your application", \.clientID),
    Flag("--register", "register an application at a provider that lets everybody do so (RFC 7591)", \.registers),
    Flag("--redirect-url URL", "the redirect URI, as registered", \.redirectURL),
    Flag("--scopes SCOPES", "the scopes of the sign-in, in quotes and separated by spaces", \.scopes),
    Flag("--task-api URL", "the task API", \.taskAPI),
    Flag("--kind KIND", "b2c or external_id, if the address does not tell", choices: ["b2c", "external_id"]) {
      $0.kind = $1
    },
    Flag("--file FILE", "write the settings to FILE; settings.plist if not given, JSON if it ends in .json", \.file),
    Flag("--replace", "replace the file", \.replaces),
    Flag("--no-sign-in", "only write the settings", \.signsIn, to: false),
    Flag("--flow FLOW", "the sign-in flow, as in sign-in") { $0.signInWords += ["--flow", $1 ?? ""] },
    Flag("--agent AGENT", "the agent of the sign-in, as in sign-in") { $0.signInWords += ["--agent", $1 ?? ""] },
    Flag("--login-hint NAME", "the user name, as in sign-in") { $0.signInWords += ["--login-hint", $1 ?? ""] },
    Flag("--password-secret NAME", "the secret with the password, as in sign-in") {
      $0.signInWords += ["--password-secret", $1 ?? ""]
    },
  ]

  private var clientID: String?
  private var registers = false
  private var redirectURL: String?
  private var scopes: String?
  private var taskAPI: String?
  private var kind: String?
  private var file: String?
  private var replaces = false
  private var signsIn = true
  private var signInWords: [String] = []

  func run(_ words: [String], _ run: RunOptions, _ console: Console) async throws -> ExitStatus {
    let path = file ?? "settings.plist"
    try check(words, run, path)
    let http = HTTPClientConfiguration(caFile: run.session.caFile)
    let lookup = ProviderLookup(http)
    let found = try await lookup.find(words[0], kind: kind)
    let profile = try ProfileFolder(scripts: run.session.scriptsFolder).provider(at: words[0])
    let advice = RegistrationAdvice(profile, found.metadata)
    let questions = InitQuestions(console: console)
    console.write("Found \(found.metadata["issuer"]?.string ?? found.metadataURL)")
    var values = found.settings
    if registers {
      let redirect = redirectURL ?? advice.redirectURL
      values["redirectURL"] = .string(redirect)
      values.merge(try await lookup.register(at: found, redirectURL: redirect, scopes: scopes ?? advice.scopes)) { $1 }
      console.write("Registered the application \(values["clientID"]?.string ?? "")")
    } else {
      console.write("\n\(advice.text(redirectURL: redirectURL ?? advice.redirectURL))\n")
      values["clientID"] = .string(try await questions.answer("Client ID", clientID, option: "--client-id"))
      let redirect = try await questions.answer("Redirect URI", redirectURL, otherwise: advice.redirectURL)
      try checkValues(["redirectURL": redirect])
      values["redirectURL"] = .string(redirect)
    }
    let chosen = scopes ?? advice.scopes
    if !chosen.isEmpty { values["scopes"] = .array(chosen.split(separator: " ").map { .string(String($0)) }) }
    if !advice.parameters.isEmpty { values["additionalParameters"] = .object(advice.parameters.mapValues(JSON.string)) }
    values["taskAPI"] = taskAPI.map(JSON.string)
    try write(values, to: path, console)
    guard signsIn else { return .done }
    return try await signIn(path, run, console)
  }

  private func check(_ words: [String], _ run: RunOptions, _ path: String) throws {
    guard words.count == 1 else { throw UsageError("init: unexpected argument '\(words[1])'") }
    guard Origin(words[0]) != nil else {
      throw UsageError(
        "init: expected an http or https address, got '\(words[0])'", hint: "b2c-run init https://login.example.com")
    }
    guard run.session.localTenant == nil, run.session.settings.file == nil else {
      throw UsageError("init: --local and --settings have no effect", hint: "--file FILE names the file to write")
    }
    guard replaces || !FileSystem.exists(path) else {
      throw UsageError("init: \(path) is there already", hint: "name another file with --file, or give --replace")
    }
    guard !registers || clientID == nil else {
      throw UsageError("init: --register and --client-id exclude each other", hint: "leave one of them out")
    }
    try checkValues(["redirectURL": redirectURL, "taskAPI": taskAPI])
  }

  /// Throws for a value that the settings cannot have.
  private func checkValues(_ values: [String: String?]) throws(UsageError) {
    do { _ = try Settings(values: values.compactMapValues { $0.map(JSON.string) }, source: "init") } catch {
      throw UsageError(error.message, hint: error.hint)
    }
  }

  /// Writes the file, which only its owner may read: it may have a secret.
  @HostActor private func write(_ values: [String: JSON], to path: String, _ console: Console) throws {
    let bytes = Array(SettingsDocument.text(values, for: path).utf8)
    // O_EXCL: nobody else's file is overwritten, even one made just now.
    let flags = O_WRONLY | O_CREAT | (replaces ? O_TRUNC : O_EXCL)
    do { try OpenFile(path, Opening(flags, mode: 0o600)).write(bytes) } catch {
      throw UsageError("init: cannot write \(path): \(error.reason)", hint: "name another file with --file")
    }
    console.write("Wrote \(path)")
  }

  /// Runs the command sign-in with the new settings.
  private func signIn(_ path: String, _ run: RunOptions, _ console: Console) async throws -> ExitStatus {
    var options = run
    // A name alone would be looked up as the file of the current folder, which may do less.
    options.session.settings.file = path.contains("/") ? path : "./\(path)"
    return try await options.withHost(console) { host in
      try await host.makeReady()
      guard case .stock(let script)? = host.registry.commands["sign-in"] else {
        throw UsageError("init: the command sign-in is missing", hint: "install the program again")
      }
      try await host.run(ScriptFile.read(script.path), path: script.path, arguments: signInWords)
    }
  }
}

/// The questions of `init`, which options can answer.
@HostActor
struct InitQuestions {
  let console: Console

  /// The given answer, or that of a person, or the usual one.
  /// - Parameter option: the option that answers a question without a usual answer.
  func answer(
    _ question: String, _ given: String?, otherwise usual: String? = nil, option: String = ""
  ) async throws -> String {
    if let given { return given }
    guard let terminal = ControllingTerminal.shared else {
      guard let usual else {
        throw UsageError(
          "init: there is no terminal to ask for the \(question.lowercased(keeping: "ID"))",
          hint: "give \(option), or --register at a provider that registers applications by itself")
      }
      return usual
    }
    let typed = try await terminal.line(.text) {
      console.ask(DecisionText("\(question)\(usual.map { " [\($0)]" } ?? ""): "), on: STDERR_FILENO)
    }
    console.asked()
    let text = (typed ?? "").filter { !$0.isWhitespace }
    guard let answer = text.isEmpty ? usual : text else {
      throw UsageError("init: no \(question.lowercased(keeping: "ID")) was typed", hint: "give \(option)")
    }
    return answer
  }
}

extension String {
  /// In lower case, except for this word.
  fileprivate func lowercased(keeping word: String) -> String { lowercased().replacing(word.lowercased(), with: word) }
}
