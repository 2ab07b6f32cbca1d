import Core
import Glibc
import HostLoop

@HostActor
struct BrowserLauncher {
  /// An opener that fails does so within this time; one that runs longer is the browser itself.
  static let secondsToFail = 5.0

  let environment: [String: String]

  /// Hands the address to the first command that takes it.
  /// - Throws: `no_browser`, with what each command said.
  func open(_ url: String) async throws {
    var failures: [String] = []
    for command in Self.commands(environment, url: url) {
      guard let path = Self.find(command.program, environment) else {
        if Self.named(environment) != nil { failures.append("\(command.program) was not found") }
        continue
      }
      do {
        let exit = try ChildProcess.start(path, command.arguments, environment: environment)
        let status = try await TimeLimit.run(seconds: Self.secondsToFail) { try await exit.value() }
        guard let status, status != 0 else { return }
        failures.append("\(command.program) ended with \(status > 128 ? "signal \(status - 128)" : "status \(status)")")
      } catch let error as ChildProcess.NotStarted {
        failures.append("\(command.program) cannot be run: \(String(cString: strerror(error.errno)))")
      }
    }
    throw UserAgentError(
      .noBrowser, "no browser could be opened: \(failures.joined(separator: ", "))",
      hint: "set BROWSER to a command that opens one, or use the agent \"terminal\"")
  }

  nonisolated static func problem(_ environment: [String: String]) -> UserAgentError? {
    if let named = named(environment) {
      let commands = BrowserCommand.named(in: named, url: "")
      if commands.contains(where: { find($0.program, environment) != nil }) { return nil }
      return UserAgentError(
        .noBrowser, "no browser could be opened: BROWSER is \"\(named)\", and there is no such program",
        hint: "set BROWSER to a command that opens one, or unset it, or use the agent \"terminal\"")
    }
    let desktop = Desktop(environment)
    guard desktop.hasDisplay else {
      return UserAgentError(
        .noBrowser, "no browser can be opened \(desktop.lack)",
        hint: desktop.isRemote
          ? "use the agent \"terminal\", or forward the redirect's port: ssh -L PORT:localhost:PORT …"
          : "use the agent \"terminal\", or set BROWSER to a command that opens one")
    }
    let usual = BrowserCommand.usual(url: "").map(\.program)
    if usual.contains(where: { find($0, environment) != nil }) { return nil }
    return UserAgentError(
      .noBrowser, "no browser was found: PATH has none of \(usual.joined(separator: ", "))",
      hint: "install xdg-utils, set BROWSER to a command that opens one, or use the agent \"terminal\"")
  }

  private nonisolated static func named(_ environment: [String: String]) -> String? {
    environment["BROWSER"].flatMap { $0.allSatisfy { $0 == ":" || $0.isWhitespace } ? nil : $0 }
  }

  private nonisolated static func commands(_ environment: [String: String], url: String) -> [BrowserCommand] {
    named(environment).map { BrowserCommand.named(in: $0, url: url) } ?? BrowserCommand.usual(url: url)
  }

  /// The path of a program, as a shell would find it; nil when there is none to run.
  private nonisolated static func find(_ program: String, _ environment: [String: String]) -> String? {
    let candidates =
      program.contains("/")
      ? [program]
      : (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").map { "\($0)/\(program)" }
    return candidates.first(where: ChildProcess.isProgram)
  }
}

struct Desktop {
  let hasDisplay: Bool
  let isRemote: Bool

  init(_ environment: [String: String]) {
    func isSet(_ name: String) -> Bool { environment[name]?.isEmpty == false }
    hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: isSet)
    isRemote = ["SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"].contains(where: isSet)
  }

  var lack: String {
    isRemote ? "over SSH without a display" : "without a display: neither DISPLAY nor WAYLAND_DISPLAY is set"
  }
}

struct BrowserCommand: Equatable {
  let program: String
  let arguments: [String]

  /// The commands that `$BROWSER` names, in its order: commands with `:` between them, the address in place of `%s`, else behind the
  /// last argument; `%%` is a percent sign. Words may be quoted. No shell has a part in it.
  static func named(in variable: String, url: String) -> [BrowserCommand] {
    variable.split(separator: ":").compactMap { entry in
      var words = words(of: entry)
      // A shell's way of saying "do not wait", which is done anyway.
      if words.last == "&" { words.removeLast() }
      guard let program = words.first, !program.isEmpty else { return nil }
      var hasPlace = false
      var arguments = words.dropFirst().map { word in
        hasPlace = hasPlace || word.replacing("%%", with: "").contains("%s")
        return fill(word, url)
      }
      if !hasPlace { arguments.append(url) }
      return BrowserCommand(program: program, arguments: arguments)
    }
  }

  /// The commands without `$BROWSER`: first those that ask the desktop, then usual browsers.
  static func usual(url: String) -> [BrowserCommand] {
    [
      ("xdg-open", []), ("gio", ["open"]), ("wslview", []), ("x-www-browser", []), ("sensible-browser", []),
      ("firefox", []), ("firefox-esr", []), ("chromium", []), ("google-chrome", []),
    ].map { BrowserCommand(program: $0, arguments: $1 + [url]) }
  }

  private static func fill(_ word: String, _ url: String) -> String {
    var filled = ""
    var rest = Substring(word)
    while let mark = rest.firstIndex(of: "%") {
      filled += rest[..<mark]
      let code = rest[mark...].dropFirst().first
      filled += code == "s" ? url : "%"
      rest = rest[mark...].dropFirst(code == "s" || code == "%" ? 2 : 1)
    }
    return filled + rest
  }

  private static func words(of entry: Substring) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for character in entry {
      if let open = quote {
        if character == open { quote = nil } else { word = (word ?? "") + String(character) }
      } else if character == "\"" || character == "'" {
        quote = character
        word = word ?? ""
      } else if character.isWhitespace {
        if let done = word { words.append(done) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    return word.map { words + [$0] } ?? words
  }
}
