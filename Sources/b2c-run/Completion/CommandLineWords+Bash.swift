import LuaKit

extension CommandLineWords {
  /// A script for bash, which needs nothing but bash itself.
  var bash: String {
    """
    # Completion of b2c-run in bash: source <(b2c-run completions bash)
    _b2c_run() {
      local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} command= form= behind= i
      # bash takes --option=value for three words.
      if [[ $word == = ]]; then
        word= behind=1
      elif [[ $option == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]} behind=1
      fi
      for ((i = 1; i < COMP_CWORD; i++)); do
        case $command/${COMP_WORDS[i]} in
          \(optionsWithValues.joined(separator: "|")))
            [[ ${COMP_WORDS[i + 1]} == = ]] && ((i++))
            ((i++)) ;;
          */-*) [[ ${COMP_WORDS[i + 1]} == = ]] && ((i += 2)) ;;
          *)
            if [[ $command ]]; then
              form=${COMP_WORDS[i]}
              break
            fi
            command=${COMP_WORDS[i]} ;;
        esac
      done
      COMPREPLY=()
      case $command/$option in
    \(commands.flatMap(values).joined())\(common.compactMap { value(of: $0, "*") }.joined())  esac
      case $command in
        '')
          _b2c_run_words '\(commands.map(\.name).joined(separator: " ")) \(optionNames(common))'
          \(completed(Value.scripts)) ;;
    \(commands.map(operands).joined())    *) _b2c_run_files ;;
      esac
    }
    _b2c_run_words() { mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$1" -- "$word"); }
    _b2c_run_folders() {
      compopt -o filenames 2>/dev/null
      mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$word")
    }
    _b2c_run_names() {
      local name
      while IFS= read -r name; do
        [[ ${name,,} == "${word,,}"* ]] && COMPREPLY+=("$(printf %q "$name")")
      done < <(b2c-run completions "$1" 2>/dev/null)
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

  /// The options that take the next word, behind the command: `import/--format`.
  private var optionsWithValues: [String] {
    func names(_ options: [CommandOption], _ command: String) -> [String] {
      options.filter { $0.value != nil && !$0.isValueOptional }.flatMap(\.names).map { "\(command)/\($0)" }
    }
    return names(common, "*") + ["*/-e"] + commands.flatMap { names($0.options, $0.name) }
  }

  private func optionNames(_ options: [CommandOption]) -> String { options.map(\.longName).joined(separator: " ") }

  private func value(of option: CommandOption, _ command: String) -> String? {
    guard let value = option.value else { return nil }
    let pattern = option.names.map { "\(command)/\($0)" }.joined(separator: "|")
    let step =
      option.isValueOptional ? "[[ $behind ]] && { \(completed(value)); return; }" : "\(completed(value)); return"
    return "    \(pattern)) \(step) ;;\n"
  }

  private func values(_ command: Subcommand) -> [String] {
    command.options.compactMap { value(of: $0, command.name) }
  }

  private func operands(_ command: Subcommand) -> String {
    let options = optionNames(command.options + (command.takesCommonOptions ? common : []))
    let start = "    \(command.name))\n      [[ $word == -* ]] && _b2c_run_words '\(options)'"
    guard let operand = command.operand.map(completed) else { return "\(start) ;;\n" }
    guard !command.forms.isEmpty else { return "\(start)\n      [[ $word == -* ]] || \(operand) ;;\n" }
    let forms = command.forms.compactMap { form in
      form.operand.map { "        \(form.word)) \(completed($0)) ;;\n" }
    }
    return """
      \(start)
            [[ $word == -* ]] || case $form in
              '') \(operand) ;;
      \(forms.joined())      esac ;;

      """
  }

  private func completed(_ value: Value) -> String {
    switch value {
    case .words(let words): "_b2c_run_words '\(words.joined(separator: " "))'"
    case .files(let ending): "_b2c_run_files\(ending.map { " '*\($0)'" } ?? "")"
    case .folders: "_b2c_run_folders"
    case .names(let kind): "_b2c_run_names \(kind.rawValue)"
    case .anything: ":"
    }
  }
}
