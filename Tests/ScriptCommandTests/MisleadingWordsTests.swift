import CommandLineSupport
import Databases
import Foundation
import Testing

/// Tests of mistakes that are easy to make: each message says what exists instead, and what to do.
@Suite("What is told of slips")
struct MisleadingWordsTests {
  @Test(
    "a name that the API does not have says what there is in its place",
    arguments: [
      ("b2c.tasks.ad()", "b2c.tasks has no 'ad'; did you mean 'add'?"),
      ("b2c.task.add()", "b2c has no 'task'; did you mean 'tasks'?"),
      ("b2c.tenant.sign_in():tokn()", "account has no 'tokn'; did you mean 'token'?"),
      ("b2c.csv.zzzzzz()", "b2c.csv has no 'zzzzzz'; it has "),
    ])
  func missingNames(call: String, hint: String) throws {
    let result = try Program().run("--local", "-e", call)
    #expect(result.status == 1)
    #expect(result.errors.contains("\n  hint: \(hint)"), "\(result)")
  }

  @Test(
    "a word of another program says what it is called here",
    arguments: [
      ("login", "did you mean 'sign-in'?"), ("help login", "did you mean 'sign-in'?"),
      ("version", "did you mean '--version'?"), ("help version", "did you mean '--version'?"),
      ("whoami", "did you mean 'accounts'?"), ("cron", "did you mean 'serve' or 'jobs'?"),
      ("help undo", "nothing undoes an import; import --dry-run shows it first, and tasks remove removes tasks"),
      ("config", "did you mean 'settings'? (b2c-run help)"),
      ("run", "a script needs no command: b2c-run FILE.lua; a job has one: b2c-run jobs run JOB"),
      ("sign-in --username alice", "did you mean --login-hint?"), ("sign-in -u alice", "did you mean --login-hint?"),
      ("import -n x.csv", "did you mean --dry-run?"), ("import --delimiter ; x.csv", "did you mean --separator?"),
      ("serve --port 80", "did you mean --listen?"), ("tasks ls", "did you mean 'list'?"),
      ("tasks rm 1", "did you mean 'remove'?"), ("tasks done 1", "did you mean 'complete'?"),
      ("secrets add x", "did you mean 'set'?"), ("imports delete 1", "did you mean 'forget'?"),
      ("jobs start x", "did you mean 'run'?"), ("imports ls", "did you mean 'list'?"),
    ])
  func wordsOfOthers(line: String, hint: String) throws {
    let result = try Program().run(list: line.split(separator: " ").map(String.init))
    #expect(result.status == 2 && result.errors.hasSuffix("\n  hint: \(hint)\n"), "\(result)")
  }

  @Test(
    "an option that does nothing with an action is refused, the same one of several each time",
    arguments: [
      ("jobs runs --follow", "--follow has no effect with runs"), ("jobs --yes", "--yes has no effect with list"),
      ("jobs log 1 --limit 3", "--limit has no effect with log"),
      ("jobs next a --since 2d", "--since has no effect with next"),
      ("jobs pause a --yes --json --follow", "--follow has no effect with pause"),
      ("jobs pause a --follow --json --yes", "--follow has no effect with pause"),
      ("jobs cancel 1 --json", "--json has no effect with cancel"),
      ("jobs allow a --from 1d", "--from has no effect with allow"),
      ("secrets set x --json", "--json has no effect with set"),
      ("secrets list --from x", "--from has no effect with list"),
      ("store upgrade --json", "--json has no effect with upgrade"),
      ("man jobs --output x", "--output has no effect with jobs"),
      ("tasks complete 1 --due 2027-01-31", "--due has no effect with complete"),
      ("tasks --yes", "--yes has no effect with list"), ("tasks remove 1 --json", "--json has no effect with remove"),
      ("tasks lists --open", "--open has no effect with lists"),
      ("imports forget 1 --failed", "--failed has no effect with forget"),
      ("imports show 1 --failed --json", "expected either --json or --failed"),
    ])
  func withoutEffect(line: String, problem: String) throws {
    let result = try Program().run(list: line.split(separator: " ").map(String.init))
    #expect(result.status == 2 && result.errors.contains(problem), "\(result)")
  }

  @Test("a hint about settings says where they come from")
  func placesOfSettings() throws {
    let tenant = try RunningTenant()
    let program = tenant.program
    try program.write(
      "in.lua",
      "b2c = require 'b2c' b2c.accounts.sign_in { agent = 'headless', username = 'alice', password = 'Wonderland-1' } print(#b2c.tasks.list())"
    )
    let file = try program.run("--set", "tasksPath=/api/nothing", "in.lua")
    #expect(file.errors.contains("hint: see taskAPI ("), "\(file)")
    #expect(file.errors.contains(") and tasksPath (--set)\n"), "\(file)")
  }

  @Test("an error about a script's own values has no hint about the API")
  func ownValues() throws {
    let result = try Program().run("--local", "-e", "local t = {} local _ = b2c.tasks.ad t.other()")
    #expect(!result.errors.contains("hint:"), "\(result)")
  }

  @Test("an option of the program behind a script that does not read it is told")
  func misplacedOptions() throws {
    let program = try Program()
    try program.write("a.lua", "print(...)")
    let result = try program.run("a.lua", "--local", "--local", "--other")
    #expect(result.status == 0)
    #expect(
      result.errors == """
        warn  --local after a.lua is an argument of the script; write options of b2c-run before the script: \
        b2c-run --local … a.lua

        """)
    try program.write("b.lua", "local args = require 'b2c.args' print(args.timeout)")
    let read = try program.run("b.lua", "--timeout=3")
    #expect(read.output == "3\n" && read.errors == "", "\(read)")
  }

  @Test("a misspelled policy is told, also where only the provider knows that there is none")
  func policies() throws {
    let start = "b2c.accounts.sign_in { agent = 'headless', username = 'alice', password = 'Wonderland-1', policy = "
    let role = try Program().run("--local", "-e", "\(start)'resett' }")
    #expect(role.status == 3 && role.errors.contains("hint: did you mean \"reset\"?"), "\(role)")
    let name = try Program().run("--local", "-e", "\(start)'b2c_1_sus' }")
    #expect(
      name.errors.contains("perhaps there is no policy \"b2c_1_sus\"")
        && name.errors.contains("hint: did you mean \"b2c_1_susi\"? the name is from the option policy"), "\(name)")
  }

  @Test(
    "a comma in front of a bracket is told",
    arguments: [
      ("s.json", #"{"clientID": "a",}"#, "'}'"), ("t.json", #"[{"text": "a"}, {"text": "b",}]"#, "'}'"),
      ("u.json", #"[{"text": "a"}, ]"#, "it"), ("v.ndjson", #"{"text": ["b", ]}"#, "']'"),
    ])
  func commas(name: String, text: String, bracket: String) throws {
    let program = try Program()
    try program.write(name, text)
    let result =
      name == "s.json"
      ? try program.run("--settings", name, "-e", "print(b2c.settings.clientID)")
      : try program.run("--local", "import", name)
    #expect(result.status != 0)
    #expect(
      result.errors.contains("; remove the comma in front of \(bracket == "it" ? "" : "the ")\(bracket)"), "\(result)")
  }

  @Test("imports alone lists")
  func imports() throws {
    let program = try Program()
    #expect(try program.run("imports").errors == "info  there are no imports; b2c-run import FILE makes one\n")
    let tenant = try RunningTenant()
    try tenant.signIn()
    try tenant.program.write("tasks.csv", "text\nBuy milk\n")
    #expect(try tenant.program.run("import", "tasks.csv").status == 0)
    let result = try tenant.program.run("imports")
    #expect(result.status == 0 && result.output.contains("tasks.csv"), "\(result)")
  }

  @Test("an account goes by its name, the user's address, the part before the @, and its ID or the beginning of that")
  func accountNames() throws {
    let tenant = try RunningTenant()
    try tenant.signIn()
    try tenant.signIn("bob", "Skyscraper-2")
    let id = try tenant.program.run("--account", "alice", "-e", "print(b2c.accounts.get('alice').id)").output.dropLast()
    for name in ["Alice Liddell", "alice", "Alice@contoso.example", String(id), String(id.prefix(8))] {
      let result = try tenant.program.run("--account", name, "-e", "print(b2c.accounts.get('\(name)').name)")
      #expect(result.output == "Alice Liddell\n", "\(result)")
    }
    let none = try tenant.program.run("--account", "alicf", "tasks", "list")
    #expect(none.errors.contains("did you mean 'alice"), "\(none)")
    let out = try tenant.program.run("sign-out", "alice")
    #expect(out.status == 0 && out.output.hasPrefix("signed out  Alice Liddell"), "\(out)")
  }

  @Test("a name that several people go by is an error that lists them")
  func ambiguousNames() throws {
    let tenant = try RunningTenant()
    try tenant.signIn()
    try tenant.signIn("bob", "Skyscraper-2")
    let store = tenant.program.folder.appending(path: ".local/state/b2c-run/accounts.sqlite").path
    try SQLiteConnection(path: store).execute(
      "UPDATE account SET claims = json_set(claims, '$.preferred_username', 'both')")
    let result = try tenant.program.run("--account", "both", "token")
    #expect(result.status == 1)
    #expect(result.errors.contains("several accounts go by 'both': Alice Liddell ("), "\(result)")
  }

  @Test("check tells modules that require does not find")
  func requiredModules() throws {
    let program = try Program()
    try program.write("unit.lua", "return 1")
    try program.write("folder/init.lua", "return 1")
    try program.write(
      "a.lua",
      """
      local all = { require "unit", require "folder", require "string", require "b2c", require "nix" }
      return all
      """)
    let result = try program.run("check", "a.lua")
    #expect(
      result.output
        == "a.lua:1:90: there is no module 'nix'; require looks in the script's folder (818)\n", "\(result)")
    try program.write("b.lua", "package.path = '/x/?.lua' return require 'nix'")
    #expect(try program.run("check", "b.lua").status == 0)
  }
}
