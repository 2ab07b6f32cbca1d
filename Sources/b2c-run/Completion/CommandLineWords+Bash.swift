extension CommandLineWords {
  /// A script for bash, which needs nothing but bash itself.
  var bash: String {
    """
    # Completion of b2c-run in bash: source <(b2c-run completions bash)
    _b2c_run() {
      local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} command= behind= i
      # bash takes --option=value for three words.
      if [[ $word == = ]]; then
        word= behind=1
      elif [[ $option == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]} behind=1
      fi
      for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
          \(names { $0.value != nil && !$0.isValueOptional }.joined(separator: "|"))|-e)
            [[ ${COMP_WORDS[i + 1]} == = ]] && ((i++))
            ((i++)) ;;
          -*) [[ ${COMP_WORDS[i + 1]} == = ]] && ((i += 2)) ;;
          *)
            command=${COMP_WORDS[i]}
            break ;;
        esac
      done
      COMPREPLY=()
      case $command/$option in
    \(commands.flatMap(values).joined())\(common.compactMap { value(of: $0, "*") }.joined())  esac
      case $command in
        '')
          _b2c_run_words '\(commands.map(\.name).joined(separator: " ")) \(optionNames(common))'
          _b2c_run_files '*.lua' ;;
    \(commands.map(operands).joined())    *) _b2c_run_files ;;
      esac
    }
    _b2c_run_words() { mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$1" -- "$word"); }
    _b2c_run_folders() {
      compopt -o filenames 2>/dev/null
      mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$word")
    }
    _b2c_run_files() {
      compopt -o filenames 2>/dev/null
      local found
      mapfile -t found < <(compgen -f ${1:+-X "!$1"} -- "$word"; [[ $1 ]] && compgen -d -- "$word")
      COMPREPLY+=("${found[@]}")
    }
    complete -F _b2c_run b2c-run

    """
  }

  private func names(where isWanted: (Option) -> Bool) -> [String] {
    common.filter(isWanted).flatMap(\.names)
  }

  private func optionNames(_ options: [Option]) -> String { options.map(\.longName).joined(separator: " ") }

  /// What completes the value of an option.
  private func value(of option: Option, _ command: String) -> String? {
    guard let value = option.value else { return nil }
    let pattern = option.names.map { "\(command)/\($0)" }.joined(separator: "|")
    let step =
      option.isValueOptional ? "[[ $behind ]] && { \(completed(value)); return; }" : "\(completed(value)); return"
    return "    \(pattern)) \(step) ;;\n"
  }

  private func values(_ command: Subcommand) -> [String] {
    command.options.compactMap { value(of: $0, command.name) }
  }

  /// What completes the words behind a command.
  private func operands(_ command: Subcommand) -> String {
    let options = optionNames(command.options + (command.takesCommonOptions ? common : []))
    let operand = command.operand.map { "\n      [[ $word == -* ]] || \(completed($0))" } ?? ""
    return "    \(command.name))\n      [[ $word == -* ]] && _b2c_run_words '\(options)'\(operand) ;;\n"
  }

  private func completed(_ value: Value) -> String {
    switch value {
    case .words(let words): "_b2c_run_words '\(words.joined(separator: " "))'"
    case .files: "_b2c_run_files"
    case .folders: "_b2c_run_folders"
    case .anything: ":"
    }
  }
}
