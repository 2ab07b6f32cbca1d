import CommandLineSupport
import Foundation
import Testing

/// Tests of the names that completion looks up while the user types: accounts, imports, commands of plugins.
@Suite("names that completion looks up")
struct CompletedNamesTests {
  @Test("accounts by their user names, and imports by their IDs, also in bash")
  func accountsAndImports() throws {
    let tenant = try RunningTenant()
    let program = tenant.program
    for kind in ["accounts", "imports"] {
      let none = try program.run("completions", kind)
      #expect(none.status == 0 && none.output == "" && none.errors == "", "\(none)")
    }
    try tenant.signIn()
    try tenant.signIn("bob", "Skyscraper-2")
    try program.write("tasks.csv", "Text\nWater the plants\n")
    let imported = try program.run("--quiet", "import", "tasks.csv")
    #expect(imported.status == 0, "\(imported)")

    let accounts = try program.run("completions", "accounts")
    #expect(accounts.status == 0 && accounts.errors == "", "\(accounts)")
    let names = accounts.output.split(separator: "\n").map(String.init)
    #expect(names.count == 2)
    for name in names {
      let found = try program.run("--account", name, "-e", "print(#b2c.accounts.get('\(name)').id > 0)")
      #expect(found.output == "true\n", "\(found)")
    }
    let imports = try program.run("completions", "imports").output.split(separator: "\n").map(String.init)
    #expect(imports.count == 1)
    #expect(try program.run("imports", "show", imports.first ?? "").output.contains("tasks.csv"))

    try program.write("completions", try program.run("completions", "bash").output)
    for (line, words) in [
      ("b2c-run --account ", names), ("b2c-run sign-out ", names), ("b2c-run imports show ", imports),
    ] {
      let result = try program.shell(
        """
        source completions; binary=$0; b2c-run() { "$binary" "$@"; }
        COMP_WORDS=($1 ''); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _b2c_run; printf '%s\\n' "${COMPREPLY[@]}"
        """, line)
      #expect(Set(result.output.split(separator: "\n").map(String.init)).isSuperset(of: words), "\(line) \(result)")
    }
  }

  @Test("jobs, runs and secrets, also in bash")
  func jobs() throws {
    let server = try RunningServer(["digest": "{ on = { start = true } }", "inbox": "{ on = { every = '1h' } }"])
    try server.wait(for: "digest run 1: ok")
    let program = server.program
    _ = try program.run("secrets", "set", "orders", input: "x")
    #expect(try program.run("completions", "jobs").output == "digest\ninbox\n")
    #expect(try program.run("completions", "runs").output == "1\n")
    #expect(try program.run("completions", "secrets").output == "orders\n")
    try program.write("completions", try program.run("completions", "bash").output)
    for (line, words) in [
      ("b2c-run jobs pause ", ["digest", "inbox"]), ("b2c-run jobs log ", ["1"]),
      ("b2c-run secrets remove ", ["orders"]),
      ("b2c-run jobs ", ["allow", "log", "next"]),
    ] {
      let result = try program.shell(
        """
        source completions; binary=$0; b2c-run() { "$binary" "$@"; }
        COMP_WORDS=($1 ''); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _b2c_run; printf '%s\\n' "${COMPREPLY[@]}"
        """, line)
      #expect(Set(result.output.split(separator: "\n").map(String.init)).isSuperset(of: words), "\(line) \(result)")
    }
  }

  @Test("commands of plugins, of those only that are trusted")
  func commands() throws {
    let program = try Program()
    try program.write(
      "plugins/hello.lua",
      "return { commands = { greet = { summary = 'Greets.', run = function() end } } }")
    let untrusted = try program.run("completions", "commands")
    #expect(untrusted.status == 0 && untrusted.output == "", "\(untrusted)")
    let trusted = try program.run("--trust-plugins", "completions", "commands")
    #expect(trusted.output == "greet\n", "\(trusted)")
  }
}
