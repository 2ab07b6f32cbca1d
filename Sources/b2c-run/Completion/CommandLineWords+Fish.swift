import LuaKit

extension CommandLineWords {
  /// A script for fish: `~/.config/fish/completions/b2c-run.fish`.
  var fish: String {
    let names = commands.map(\.name).joined(separator: " ")
    let start = commands.map { command in
      "complete -c b2c-run -n __b2c_run_starts -a \(command.name) -d \(quoted(command.summary))\n"
    }
    return """
      # Completion of b2c-run in fish: b2c-run completions fish > ~/.config/fish/completions/b2c-run.fish
      function __b2c_run_starts
          not __fish_seen_subcommand_from \(names)
      end
      function __b2c_run_takes_common
          __b2c_run_starts; or __fish_seen_subcommand_from \
      \(commands.filter(\.takesCommonOptions).map(\.name).joined(separator: " "))
      end
      function __b2c_run_files
          set -l ending (string escape --style=regex -- $argv[1])
          __fish_complete_path (commandline -ct) | string match -r '^.*(?:/|'$ending')(?:\\t.*)?$'
      end
      complete -c b2c-run -f
      complete -c b2c-run -n __b2c_run_starts \(action(.scripts))
      complete -c b2c-run -n __b2c_run_starts \(action(.names(.commands)))
      \(start.joined())\(common.map { line($0, "__b2c_run_takes_common") }.joined())\
      \(commands.map(behind).joined())
      """
  }

  private func behind(_ command: Subcommand) -> String {
    let condition = "__fish_seen_subcommand_from \(command.name)"
    let forms = command.forms.map(\.word).joined(separator: " ")
    let first = forms.isEmpty ? condition : "\(condition); and not __fish_seen_subcommand_from \(forms)"
    var lines = command.options.map { line($0, quoted(condition)) } + [line(command.operand, first)]
    lines += command.forms.map { line($0.operand, "\(condition); and __fish_seen_subcommand_from \($0.word)") }
    return lines.joined()
  }

  private func line(_ operand: Value?, _ condition: String) -> String {
    guard let action = operand.map(action), !action.isEmpty else { return "" }
    return "complete -c b2c-run -n \(quoted(condition)) \(action)\n"
  }

  private func line(_ option: CommandOption, _ condition: String) -> String {
    let names = option.names.map { $0.hasPrefix("--") ? "-l \($0.dropFirst(2))" : "-s \($0.dropFirst())" }
    let value = option.value.map { value in option.isValueOptional ? "" : " -r \(action(value))" } ?? ""
    return "complete -c b2c-run -n \(condition) \(names.joined(separator: " "))\(value) -d \(quoted(option.doc))\n"
  }

  private func action(_ value: Value) -> String {
    switch value {
    case .words(let words): "-f -a \(quoted(words.joined(separator: " ")))"
    case .files(nil): "-F"
    case .files(let ending?): "-f -a '(__b2c_run_files \(ending))'"
    case .names(let kind): "-f -a '(b2c-run completions \(kind.rawValue) 2>/dev/null)'"
    case .folders: "-f -a '(__fish_complete_directories)'"
    case .anything: ""
    }
  }

  private func quoted(_ text: String) -> String {
    "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
  }
}
