import CommandLineSupport
import Foundation
import Testing

/// `b2c-run help` on everything that is declared.
@Suite("Help")
struct HelpTests {
  @Test(
    "explains modules, functions, options, types, fields and records",
    arguments: [
      ("tasks", ["b2c.tasks: The task API", "tasks.import(source, options?)", "local b2c = require \"b2c\""]),
      (
        "tasks.import",
        ["adds a task for each row", "dry_run", "returns an import report", "row.Subject", "the call may wait"]
      ),
      (
        "b2c.tasks.add",
        ["task: a string or new task", "New task: { text, owner, completed, notes, completed_at, due, start,"]
      ),
      ("tasks.import.on_row_failed", ["called with failure (a row failure: the failure)", "unsettled"]),
      ("account", [".expires_at", "an integer or nil. the expiry of the access token", "account:token()"]),
      ("account.token", ["account:token()", "returns a secret"]), ("task.text", ["text, of task", "a string"]),
      ("token response", ["token response: the response of the token endpoint", ".access_token"]),
      ("settings", ["b2c.settings: the settings", "settings.clientid"]),
      ("tenant", ["run a local tenant", "--guid-issuer", "tenant.users.add(options)"]),
    ])
  func explains(topic: String, expected: [String]) throws {
    let help = try Program().run("help", topic)
    #expect(help.status == 0, "\(help)")
    let words = help.output.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for text in expected { #expect(words.contains(text.lowercased()), "\(text) is not in\n\(help.output)") }
  }

  @Test("explains concepts, lists them, and names the page that tells more")
  func concepts() throws {
    let program = try Program()
    let page = Program.project.appending(path: "Sources/b2c-run/Documentation.docc/Concepts.md")
    let names = try String(contentsOf: page, encoding: .utf8).matches(of: #/\n## (.+)\n/#).map { String($0.output.1) }
    #expect(names.count >= 15 && names == names.sorted())
    #expect(Set(names).isSuperset(of: ["flows", "imports", "jobs", "packages", "permissions", "services"]))
    let overview = try program.run("help", "all").output
    for name in names {
      let help = try program.run("help", name)
      #expect(help.status == 0 && overview.contains(name), "\(help)")
      let links = help.output.matches(of: #/\((\/\S+\.md)\)/#).map { String($0.output.1) }
      #expect(!links.isEmpty && links.allSatisfy { FileManager.default.fileExists(atPath: $0) }, "\(help)")
      #expect(!help.output.contains("`") && !help.output.contains("]("), "\(help)")
    }
    let permissions = try program.run("help", "permissions").output
    #expect(permissions.hasPrefix("permissions\n\n  A script may read its own folder"))
    #expect(permissions.contains("\n    b2c-run --allow-write=report.txt weekly.lua\n"))
    // A concept, a command and a module.
    let accounts = try program.run("help", "accounts").output
    #expect(accounts.contains("\naccounts\n\n  An account is") && accounts.contains("\nb2c.accounts: "))
  }

  @Test(
    "names the topic that may have been meant",
    arguments: [
      ("tasks.ad", "tasks.add"), ("accounts.singin", "accounts.sign_in"), ("sing-in", "sign-in"),
      ("hook", "webhooks"), ("failed", "failed-rows"), ("exit", "exit-status"), ("exit-code", "exit-status"),
      ("tennant", "tenant"),
      ("tasks.import.concurency", "tasks.import.concurrency"), ("sign-", "sign-in' or 'sign-out"),
      ("permisions", "permissions"),
      ("accounts.sign", "accounts.sign_in' or 'accounts.sign_out"), ("b2c.tasks.ex", "tasks.export"),
    ])
  func suggests(topic: String, meant: String) throws {
    let help = try Program().run("help", topic)
    #expect(help.status == 2)
    #expect(help.errors == "b2c-run: no help on '\(topic)'\n  hint: did you mean '\(meant)'?\n")
  }

  @Test(
    "answers to the singular and the plural of a topic",
    arguments: [("webhook", "webhooks"), ("permission", "permissions"), ("exports", "export")])
  func number(topic: String, meant: String) throws {
    let program = try Program()
    let help = try program.run("help", topic)
    #expect(help.status == 0 && !help.output.isEmpty)
    #expect(help.output == (try program.run("help", meant).output))
  }

  @Test("keeps within the width of the terminal")
  func width() throws {
    let program = try Program()
    for topic in ["http", "accounts.sign_in", "", "all"] {
      // Code is shown as it is.
      let lines = try program.run(list: topic.isEmpty ? ["help"] : ["help", topic]).output
        .split(separator: "\n").prefix { $0 != "  for example" }
      #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines.filter { $0.count > 80 })")
    }
  }
}
