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
      function __b2c_run_scripts
          __fish_complete_path (commandline -ct) | string match -r '^.*(?:/|\\.lua)(?:\\t.*)?$'
      end
      complete -c b2c-run -f
      complete -c b2c-run -n __b2c_run_starts -a '(__b2c_run_scripts)'
      \(start.joined())\(common.map { line($0, "__b2c_run_takes_common") }.joined())\
      \(commands.map(behind).joined())
      """
  }

  private func behind(_ command: Subcommand) -> String {
    let condition = quoted("__fish_seen_subcommand_from \(command.name)")
    let options = command.options.map { line($0, condition) }.joined()
    guard let operand = command.operand.map(action), !operand.isEmpty else { return options }
    return options + "complete -c b2c-run -n \(condition) \(operand)\n"
  }

  private func line(_ option: Option, _ condition: String) -> String {
    let names = option.names.map { $0.hasPrefix("--") ? "-l \($0.dropFirst(2))" : "-s \($0.dropFirst())" }
    let value = option.value.map { value in option.isValueOptional ? "" : " -r \(action(value))" } ?? ""
    return "complete -c b2c-run -n \(condition) \(names.joined(separator: " "))\(value) -d \(quoted(option.doc))\n"
  }

  private func action(_ value: Value) -> String {
    switch value {
    case .words(let words): "-f -a \(quoted(words.joined(separator: " ")))"
    case .files: "-F"
    case .folders: "-f -a '(__fish_complete_directories)'"
    case .anything: ""
    }
  }

  private func quoted(_ text: String) -> String {
    "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
  }
}
