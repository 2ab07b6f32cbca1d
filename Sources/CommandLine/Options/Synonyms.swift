import Core

/// Words that people bring from other programs, and what this program calls the same things.
package enum Synonyms {
  /// Words in place of a command or a topic of help. An entry that is not a name is a sentence.
  private static let topics: [(words: Set<String>, meant: [String])] = [
    (["login", "log-in", "signin", "auth", "authenticate", "connect"], ["sign-in"]),
    (["logout", "log-out", "signout", "disconnect"], ["sign-out"]), (["whoami", "users", "user", "me"], ["accounts"]),
    (["version"], ["--version"]), (["ls", "list", "todo", "todos", "add"], ["tasks"]),
    (["upload", "load", "restore"], ["import"]), (["download", "dump", "backup"], ["export"]),
    (["history", "resume"], ["imports"]), (["init", "create", "scaffold"], ["new"]),
    (["lint", "validate", "verify"], ["check"]),
    (["cron", "schedule", "daemon", "start", "server"], ["serve", "jobs"]),
    (["secret", "password", "passwords", "vault", "keyring"], ["secrets"]),
    (["diagnose", "info", "status"], ["doctor"]),
    (["webhook", "hook", "hooks"], ["webhooks"]), (["failed", "failure", "failures", "errors"], ["failed-rows"]),
    (["exit", "exit-code", "exit-codes", "exits", "return-code", "statuses"], ["exit-status"]),
    (["config", "configure", "configuration"], ["settings"]), (["manual"], ["man"]),
    (["allow", "sandbox"], ["permissions"]),
    (
      ["undo", "rollback", "revert"],
      ["b2c-run imports undo ID takes an import back; b2c-run imports lists the IDs"]
    ),
    (["run", "exec", "execute"], ["a script needs no command: b2c-run FILE.lua; a job has one: b2c-run jobs run JOB"]),
    (["repl", "shell", "console", "interactive"], ["b2c-run without arguments begins a session"]),
  ]

  /// Words in place of the first argument of a command.
  private static let actions: [String: [String]] = [
    "ls": ["list"], "all": ["list"], "get": ["show", "list"], "view": ["show"], "info": ["show"],
    "cat": ["show", "log"],
    "rm": ["remove", "forget"], "delete": ["remove", "forget"], "del": ["remove", "forget"], "new": ["add", "set"],
    "create": ["add", "set"], "add": ["set"], "put": ["set", "add"], "done": ["complete"], "finish": ["complete"],
    "close": ["complete"], "open": ["reopen"], "undo": ["reopen"], "update": ["edit"], "change": ["edit"],
    "rename": ["edit"], "start": ["run"], "trigger": ["run"], "stop": ["cancel", "pause"], "kill": ["cancel"],
    "disable": ["pause"], "enable": ["resume"], "unpause": ["resume"], "switch": ["use"], "select": ["use"],
    "history": ["runs"], "logs": ["log"], "grant": ["allow"], "print": ["show"], "rerun": ["retry"],
    "again": ["retry"], "repeat": ["retry"], "upcoming": ["next"], "schedule": ["next"], "when": ["next"],
  ]

  /// Options of other programs, by their names without the dashes.
  private static let options: [(words: Set<String>, meant: [String])] = [
    (["username", "user", "u", "email", "login", "upn"], ["--login-hint", "--account"]),
    (["password", "pass", "p"], ["--password-secret"]),
    (["scope"], ["--scopes"]), (["as", "identity"], ["--account"]),
    (["config", "conf", "c", "settings-file"], ["--settings"]),
    (["n", "dryrun", "preview", "simulate", "whatif", "what-if", "plan"], ["--dry-run"]),
    (["y", "force", "f", "assume-yes"], ["--yes"]),
    (["j", "output-json", "as-json"], ["--json"]), (["q", "silent", "s"], ["--quiet"]), (["v", "V"], ["--version"]),
    (["parallel", "threads", "workers", "jobs", "connections"], ["--concurrency"]),
    (["delimiter", "sep", "d"], ["--separator"]),
    (["columns", "mapping", "fields", "map-columns"], ["--map"]),
    (["unique", "skip-duplicates", "no-duplicates", "deduplicate"], ["--dedupe"]),
    (["throttle", "rps", "rate-limit"], ["--rate"]), (["retry", "max-retries"], ["--retries"]),
    (["port", "host", "bind", "address", "l"], ["--listen"]),
    (["ca", "ca-cert", "cafile", "insecure", "k"], ["--cacert"]),
    (["list-name", "project"], ["--list"]), (["deadline", "date"], ["--due"]), (["type", "t"], ["--format"]),
    (["max-time", "time-limit"], ["--timeout"]),
  ]

  /// A hint about a word in place of a command, or of a topic of help; nil for other words.
  /// - Parameter known: the names that there are. Names that begin with a dash are options of the program.
  package static func topic(_ word: String, among known: [String]) -> String? {
    guard let meant = topics.first(where: { $0.words.contains(word.lowercased()) })?.meant else { return nil }
    if meant[0].contains(" ") { return meant[0] }
    return question(meant.filter { $0.hasPrefix("--") || known.contains($0) })
  }

  /// The name that is the plural or the singular of a word; nil if the word is a name itself, and where there is none.
  package static func otherNumber(of word: String, among known: [String]) -> String? {
    if known.contains(word) { return nil }
    return [word + "s", word.hasSuffix("s") ? String(word.dropLast()) : word].first(where: known.contains)
  }

  /// A hint about a word in place of an action of a command: `tasks ls`.
  static func action(_ word: String, among known: [String]) -> String? {
    question((actions[word.lowercased()] ?? []).filter(known.contains).prefix(1).map { $0 })
  }

  /// A hint about an option of another program; nil if no option of `known` is meant.
  static func option(_ name: String, among known: [String]) -> String? {
    let word = String(name.drop { $0 == "-" })
    let meant = options.first { $0.words.contains(word) || word.count > 1 && $0.words.contains(word.lowercased()) }?
      .meant
    return (meant ?? []).first(where: known.contains).map { "did you mean \($0)?" }
  }

  private static func question(_ names: [String]) -> String? {
    names.isEmpty ? nil : "did you mean \(names.map { "'\($0)'" }.joined(separator: " or "))?"
  }
}
