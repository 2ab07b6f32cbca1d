import LuaKit

extension CommandLineWords {
  /// A script for zsh: to be sourced behind `compinit`, or put into a folder of `fpath` as `_b2c-run`.
  var zsh: String {
    """
    #compdef b2c-run
    # Completion of b2c-run in zsh: source <(b2c-run completions zsh), or the file _b2c-run in a folder of fpath
    _b2c_run_start() {
      local -a commands=(
    \(commands.map { "    \(quoted("\(escaped($0.name)):\(escaped($0.summary))"))\n" }.joined())  )
      _describe -t commands 'command' commands
      compadd -- ${(f)"$(b2c-run completions commands 2>/dev/null)"}
      \(action(.scripts))
    }
    _b2c_run() {
      local context state line
      local -a common=(
    \(common.flatMap(specifications).map { "    \($0)\n" }.joined())  )
      _arguments -C $common '-e+[run one line of Lua]:CHUNK: ' '1: :_b2c_run_start' '*:: :->behind' && return
      [[ $state == behind ]] || return
      case $words[1] in
    \(commands.map(behind).joined())    *) _files ;;
      esac
    }
    if [[ $funcstack[1] == _b2c-run ]]; then _b2c_run "$@"; else compdef _b2c_run b2c-run; fi

    """
  }

  private func behind(_ command: Subcommand) -> String {
    let options = command.options.flatMap(specifications) + (command.takesCommonOptions ? ["$common"] : [])
    guard !command.forms.isEmpty, let operand = command.operand.map(action) else {
      let operand = command.operand.map { [quoted("*: :\(action($0))")] } ?? []
      return "    \(command.name)) _arguments \((options + operand).joined(separator: " ")) ;;\n"
    }
    let specifications = options + [quoted("1: :\(operand)"), "'*: :->form'"]
    let forms = command.forms.compactMap { form in
      form.operand.map { "        \(form.word)) \(action($0)) ;;\n" }
    }
    return """
          \(command.name))
            state=
            _arguments -C \(specifications.joined(separator: " ")) && return
            [[ $state == form ]] && case $line[1] in
      \(forms.joined())      esac ;;

      """
  }

  /// As `_arguments` has it: `'--format=[what it is]: :(csv json)'`.
  private func specifications(_ option: CommandOption) -> [String] {
    let doc = "[\(escaped(option.doc))]"
    return option.names.map { name in
      guard let value = option.value else { return quoted("\(name)\(doc)") }
      let isLong = name.hasPrefix("--")
      let mark = option.isValueOptional ? "=-" : isLong ? "=" : "+"
      return quoted("\(name)\(mark)\(doc):\(option.isValueOptional ? ":" : "") :\(action(value))")
    }
  }

  private func action(_ value: Value) -> String {
    switch value {
    case .words(let words): "(\(words.joined(separator: " ")))"
    case .files(nil): "_files"
    case .files(let ending?): "_files -g '*\(ending)(-.)'"
    case .folders: "_files -/"
    case .names(let kind): "{ compadd -- ${(f)\"$(b2c-run completions \(kind.rawValue) 2>/dev/null)\"} }"
    case .anything: " "
    }
  }

  private func escaped(_ text: String) -> String { text.replacing(#/[\[\]:\\]/#) { "\\\($0.output)" } }

  private func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "'\\''"))'" }
}
