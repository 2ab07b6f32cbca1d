import CommandLineSupport
import Foundation
import Testing

/// Tests of the completions that the shells themselves offer.
@Suite("completions")
struct CompletionTests {
  static let lines: [(line: String, expected: Set<String>, missing: Set<String>)] = [
    ("b2c-run imp", ["import", "imports"], ["--import"]),
    ("b2c-run ", ["import", "check", "script.lua"], ["notes.txt"]),
    ("b2c-run --log-level ", ["debug", "info", "warn", "error"], ["import"]),
    ("b2c-run --settings ", ["notes.txt", "script.lua"], ["import"]),
    ("b2c-run --settings a.plist imp", ["import", "imports"], []),
    ("b2c-run import --f", ["--format", "--failed"], ["--filter"]),
    ("b2c-run import --format ", ["csv", "taskwarrior"], ["notes.txt"]), ("b2c-run import n", ["notes.txt"], ["new"]),
    ("b2c-run --quiet check --lo", ["--log-level"], ["--format"]), ("b2c-run stubs --output ", ["sub/"], ["notes.txt"]),
    ("b2c-run test --report ", ["junit", "tap"], ["notes.txt"]),
    ("b2c-run test ", ["script_test.lua", "sub/"], ["script.lua", "notes.txt"]),
    ("b2c-run check ", ["script.lua", "sub/"], ["notes.txt"]),
    ("b2c-run trace ", ["show", "compare"], ["run.json", "notes.txt"]),
    ("b2c-run trace show r", ["run.json"], ["show"]), ("b2c-run trace show ", ["run.json", "sub/"], ["notes.txt"]),
    ("b2c-run trace --html page.html compare run.json ", ["run.json"], ["notes.txt", "compare"]),
    ("b2c-run tasks ", ["list", "add", "remove"], ["notes.txt"]), ("b2c-run tasks list ", [], ["list", "notes.txt"]),
    ("b2c-run tasks remove --", ["--yes"], ["--local"]),
    ("b2c-run imports ", ["list", "show", "forget"], ["notes.txt"]),
    ("b2c-run --settings a.plist imports s", ["show"], ["list"]), ("b2c-run accounts u", ["use"], []),
    ("b2c-run accounts --vault ", ["key_file", "secret_service"], ["use"]),
    ("b2c-run sign-in --flow ", ["authorization_code", "device_code"], ["notes.txt"]),
    ("b2c-run help tasks.im", ["tasks.import"], ["tasks.add"]), ("b2c-run help sign", ["sign-in", "sign-out"], []),
    ("b2c-run help account.t", ["account.token"], []), ("b2c-run help perm", ["permissions"], ["import"]),
    ("b2c-run man --output ", ["sub/"], ["notes.txt"]),
    ("b2c-run completions ", ["bash", "fish", "zsh"], ["notes.txt"]),
  ]

  private func prepared(_ shell: String) throws -> Program {
    let program = try Program()
    let script = try program.run("completions", shell)
    #expect(script.status == 0 && script.errors == "", "\(script)")
    try program.write("completions", script.output)
    try program.write("script.lua", "")
    try program.write("script_test.lua", "")
    try program.write("notes.txt", "")
    try program.write("run.json", "")
    try program.write("sub/inner.lua", "")
    return program
  }

  @Test("in bash", arguments: lines)
  func bash(line: String, expected: Set<String>, missing: Set<String>) throws {
    let program = try prepared("bash")
    let test = """
      source completions
      COMP_WORDS=($1) COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      [[ $1 == *' ' ]] && { COMP_WORDS+=(''); COMP_CWORD=$((COMP_CWORD + 1)); }
      _b2c_run
      for word in "${COMPREPLY[@]}"; do [[ -d $word ]] && word+=/; echo "$word"; done
      """
    check(try program.shell(test, line), expected, missing)
  }

  @Test("in bash, with values behind a =")
  func bashValues() throws {
    let program = try prepared("bash")
    let test =
      "source completions; COMP_WORDS=($1); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _b2c_run; printf '%s\\n' \"${COMPREPLY[@]}\""
    check(try program.shell(test, "b2c-run --log-level ="), ["debug", "warn"], ["import"])
    check(try program.shell(test, "b2c-run --log-level = de"), ["debug"], ["warn"])
    check(try program.shell(test, "b2c-run --local = data imp"), ["import"], ["notes.txt"])
  }

  @Test("in fish", arguments: lines)
  func fish(line: String, expected: Set<String>, missing: Set<String>) throws {
    let program = try prepared("fish")
    let result = try program.run(
      list: ["-N", "-c", "source completions; complete -C \"$argv[1]\" | string replace -r '\\t.*' ''; true", line],
      executable: URL(filePath: "/usr/bin/fish"))
    check(result, expected, missing)
  }

  @Test(
    "in zsh, typed on a terminal",
    arguments: [
      ("b2c-run impo", "b2c-run import"), ("b2c-run import --form", "b2c-run import --format"),
      ("b2c-run --log-level w", "b2c-run --log-level warn"), ("b2c-run help tasks.im", "b2c-run help tasks.import"),
      ("b2c-run import note", "b2c-run import notes.txt"), ("b2c-run script.", "b2c-run script.lua"),
      ("b2c-run test scr", "b2c-run test script_test.lua"),
      ("b2c-run trace s", "b2c-run trace show"), ("b2c-run trace show r", "b2c-run trace show run.json"),
      ("b2c-run tasks l", "b2c-run tasks list"), ("b2c-run tasks list --j", "b2c-run tasks list --json"),
      ("b2c-run accounts u", "b2c-run accounts use"),
      ("b2c-run sign-in --flow d", "b2c-run sign-in --flow device_code"),
      ("b2c-run stubs --output s", "b2c-run stubs --output sub/"),
      ("b2c-run test --report j", "b2c-run test --report junit"),
    ])
  func zsh(typed: String, completed: String) throws {
    let program = try prepared("zsh")
    try program.write(".zshrc", "PROMPT='ready> '; autoload -U compinit; compinit -u -D; source completions\n")
    let session = try TerminalSession(program, [], shell: "exec zsh -d -i")
    try session.see("ready>")
    session.type("\(typed)\t")
    try session.see("ready> \(completed)")
  }

  @Test("an unknown shell is named")
  func unknown() throws {
    let result = try Program().run("completions", "tcsh")
    #expect(result.status == 2)
    #expect(result.errors == "b2c-run: completions: expected one of bash, zsh, fish, got 'tcsh'\n")
  }

  private func check(_ result: Program.Result, _ expected: Set<String>, _ missing: Set<String>) {
    let words = Set(result.output.split(separator: "\n").map(String.init))
    #expect(words.isSuperset(of: expected), "\(expected.subtracting(words)) are missing\n\(result)")
    #expect(words.isDisjoint(with: missing), "\(result)")
    #expect(result.status == 0, "\(result)")
  }
}
