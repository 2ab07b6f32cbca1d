import Automation
import Core
import HostLoop
import Lua
import LuaKit
import Permissions
import Terminal

/// Questions to the user at the terminal.
extension TermModule {
  /// The number of times that `term.confirm` asks.
  private nonisolated static let maximumTries = 3

  private nonisolated static let question = Parameter("question", .string, "The question.")

  static let prompt = suspending(
    "term.prompt", "Asks the user at the terminal for a line.", question,
    options: PromptOptions.keys,
    returns: .init(.any, "The answer without its line break: a string, or a secret with the option secret.")
  ) { module, arguments in
    let options = try PromptOptions(arguments)
    let (fallback, isSecret) = (options.fallback, options.isSecret)
    let answer = try await module.ask(arguments, shown: isSecret ? nil : fallback, isSecret: isSecret)
    let text = answer.isEmpty ? fallback ?? "" : answer
    return [isSecret ? .secret(Secret(text)) : .string(text)]
  }

  private struct PromptOptions: LuaOptions {
    var fallback: String?
    var isSecret = false

    static let fields: [Field] = [
      .init("default", \.fallback, "The answer if the line is empty."),
      .init("secret", \.isSecret, "Hide the typed answer, and return a secret."),
    ]
  }

  static let password = suspending(
    "term.password", "Asks for a password, and hides the typed text.",
    .optional("question", .string, "The question; \"Password\" if not given."),
    returns: .init(.object("secret"), "The answer.")
  ) { module, arguments in [.secret(Secret(try await module.ask(arguments, shown: nil, isSecret: true)))] }

  private struct ConfirmOptions: LuaOptions {
    var fallback: Bool?
    static let fields: [Field] = [.init("default", \.fallback, "The answer if the line is empty.")]
  }

  static let confirm = suspending(
    "term.confirm", "Asks a question that is answered with y or n.", question,
    options: ConfirmOptions.keys,
    returns: .init(.boolean, "True for y.")
  ) { module, arguments in
    let fallback = try ConfirmOptions(arguments).fallback
    let choices = fallback.map { $0 ? "Y/n" : "y/N" } ?? "y/n"
    for _ in 0..<TermModule.maximumTries {
      switch try await module.ask(arguments, shown: choices, isSecret: false).lowercased() {
      case "y", "yes": return [.boolean(true)]
      case "n", "no": return [.boolean(false)]
      case "": if let fallback { return [.boolean(fallback)] }
      default: break
      }
    }
    throw LuaError(
      code: "no_answer",
      message: "term.confirm: no answer to \"\(arguments.string(0))\" in \(TermModule.maximumTries) tries",
      hint: "answer with y or n")
  }

  /// - Parameter shown: the text in brackets: the answer for an empty line, or all answers.
  private func ask(_ arguments: Arguments, shown: String?, isSecret: Bool) async throws -> String {
    let name = arguments.function.name
    guard let terminal = ControllingTerminal.shared else {
      throw LuaError(
        code: "no_terminal", message: "\(name): there is no terminal to ask at",
        hint: "run the script on a terminal, or give the answer another way, such as an option of its command line")
    }
    guard !terminal.isTaken else {
      throw LuaError(
        code: "screen_open", message: "\(name): a screen of the script's own is on the terminal",
        hint: "ask inside screen:suspend(function() … end), or close the screen before")
    }
    var text = arguments[0].string ?? "Password"
    let mark = text.last == "?" ? "" : ":"
    if text.last == ":" { text.removeLast() }
    let question = "\(text)\(shown.map { " [\($0)]" } ?? "")\(mark) "
    defer { console.asked() }
    let line = try await terminal.line(isSecret ? .secret : .text) {
      // The question may hold texts of others, such as the name of an account.
      console.ask(DecisionText(question.displayableLines), on: terminal.output)
    }
    guard let line else {
      throw LuaError(code: "no_input", message: "\(name): the input ended before there was an answer")
    }
    return line
  }
}
