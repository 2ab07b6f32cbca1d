import Core
import Files
import HTTPClient
import HostLoop
import Permissions
import Testing

@HostActor @Suite("What is granted")
struct GrantedTests {
  @HostActor private final class Person {
    var asked: [String] = []
    var answer: Permissions.Answer? = .no
  }

  private func permissions(_ flags: (Permission, String?)...) throws -> Permissions {
    var grants = Grants()
    for (permission, value) in flags { try grants.allow(permission, value) }
    return Permissions(grants, base: Array("/nowhere".utf8))
  }

  private func isAllowed(_ body: () throws -> Void) -> Bool { (try? body()) != nil }

  @Test("hosts with and without a port")
  func hosts() async throws {
    let permissions = try permissions((.net, "a.example,b.example:8080,[::1]:81"))
    for (url, expected) in [
      ("https://a.example/", true), ("http://A.EXAMPLE:99/", true), ("https://b.example:8080/", true),
      ("https://b.example/", false),
      ("http://[::1]:81/", true), ("http://[::1]/", false), ("https://www.a.example/", false),
      ("https://a.example.evil.test/", false),
      ("https://a.example./", false), ("https://nota.example/", false),
    ] {
      let origin = try #require(Origin(url))
      #expect(isAllowed { try permissions.check(origin, by: "test") } == expected, "\(url)")
    }
  }

  @Test("programs by their name, where the command is plain words")
  func programs() async throws {
    let permissions = try permissions((.run, "git,/bin/ls"))
    for (command, expected) in [
      ("git", true), ("  git status --short", true), ("/bin/ls -l", true), ("ls", false), ("git log; ls", false),
      ("git $HOME", false),
      ("A=b git", false), ("git 'x'", false), ("", false), ("gitk", false), ("git\nls", false), ("git log > x", false),
    ] {
      #expect(isAllowed { try permissions.check(command: command, by: "test") } == expected, "\(command)")
    }
  }

  @Test("a person allows one command, not what else its program can do")
  func commands() async throws {
    let permissions = try permissions()
    let person = Person()
    permissions.ask = { access in
      person.asked.append(access.thing)
      return access.thing == "touch harmless" ? .yes : .no
    }
    #expect(isAllowed { try permissions.check(command: "touch harmless", by: "test") })
    #expect(isAllowed { try permissions.check(command: "touch harmless", by: "test") })
    #expect(!isAllowed { try permissions.check(command: "touch harmful", by: "test") })
    #expect(!isAllowed { try permissions.check(command: "touch  harmless", by: "test") })
    #expect(person.asked == ["touch harmless", "touch harmful", "touch[2 blanks]harmless"])
  }

  @Test("two commands, or two variables, that differ in bytes of no character are two")
  func bytes() async throws {
    let permissions = try permissions()
    let person = Person()
    permissions.ask = { access in
      person.asked.append(access.thing)
      return person.asked.count % 2 == 1 ? .yes : .no
    }
    for (byte, expected) in [(UInt8(0xFE), true), (0xFF, false), (0xFE, true)] {
      #expect(isAllowed { try permissions.check(command: "a\u{FFFD}", [0x61, byte], by: "test") } == expected)
    }
    for (byte, expected) in [(UInt8(0xFE), true), (0xFF, false), (0xFE, true)] {
      #expect(isAllowed { try permissions.check(variable: "A\u{FFFD}", [0x41, byte], by: "test") } == expected)
    }
    #expect(person.asked == ["a\u{FFFD}", "a\u{FFFD}", "A\u{FFFD}", "A\u{FFFD}"])
  }

  @Test("what nobody sees is shown as a mark", arguments: ["\u{FE0F}", "\u{34F}", "\u{E0100}", "\u{180B}", "\u{17B4}"])
  func invisible(mark: String) { #expect(Access.shown("a\(mark)b") == "a\u{FFFD}b") }

  @Test("a person hears where a link leads; a script does not")
  func linkTargets() async throws {
    let ground = try ResolvedPathTests.Ground()
    let permissions = Permissions(Grants(), base: Array(ground.path.utf8))
    for (path, told, leads) in [
      ("second/x", "second/x", "a/x"), ("./a//../link", "link", "a"), ("a/file", "a/file", "a/file"),
    ] {
      let denial = try #require(throws: PermissionDenied.self) {
        try permissions.check(Array(path.utf8), .read, by: "test")
      }
      #expect(denial.message == "test: needs permission to read \(ground.path)/\(told)")
      #expect(denial.hint == "run with --allow-read=\(ground.path)/\(told)")
      let decision = try #require(PermissionDenied.decision(of: denial))
      #expect(decision.message.text == "test: needs permission to read \(ground.path)/\(leads)")
      #expect(decision.hint?.text == "run with --allow-read=\(ground.path)/\(leads)")
    }
  }

  @Test("links that lead to the host's own files stay where they are")
  func links() async throws {
    let ground = try ResolvedPathTests.Ground()
    var grants = Grants()
    try grants.allow(.write, nil)
    let permissions = Permissions(grants, base: Array(ground.path.utf8))
    permissions.protect(["second/host"], beginnings: ["up/a/b/away"])
    for (path, expected) in [
      ("second", false), ("link", false), ("a", false), ("a/host", false), ("up", false), ("a/b/away", false),
      ("a/b", false), ("", false), ("gone", true), ("loop", true), ("a/new", true),
    ] {
      #expect(
        isAllowed { _ = try permissions.check(Array(path.utf8), [.write, .entry], by: "test") } == expected, "\(path)")
    }
  }

  @Test("a person is asked once for each thing, and A is for the kind")
  func asking() async throws {
    let permissions = try permissions()
    let person = Person()
    permissions.ask = { access in
      person.asked.append(access.thing)
      return person.answer
    }
    #expect(!isAllowed { try permissions.check(variable: "A", by: "test") })
    person.answer = .yes
    #expect(!isAllowed { try permissions.check(variable: "A", by: "test") })
    #expect(isAllowed { try permissions.check(variable: "B", by: "test") })
    #expect(isAllowed { try permissions.check(variable: "B", by: "test") })
    person.answer = nil
    #expect(!isAllowed { try permissions.check(variable: "C", by: "test") })
    person.answer = .all
    #expect(isAllowed { try permissions.check(variable: "C", by: "test") })
    #expect(isAllowed { try permissions.check(variable: "D", by: "test") })
    #expect(person.asked == ["A", "B", "C", "C"])
    #expect(isAllowed { _ = try permissions.check(Array("x".utf8), .read, by: "test") })
    #expect(person.asked.last == "/nowhere/x")
  }

  @Test("devices, processes and the host's own files are granted by -A alone")
  func system() async throws {
    let permissions = try permissions((.read, nil), (.write, nil))
    permissions.protect(
      ["/nowhere/host"], open: ["/nowhere/host/plugins"], beginnings: ["/nowhere/store/accounts.sqlite"])
    for (path, use, expected) in [
      ("/nowhere/x", .read, true), ("/dev/null", .write, true), ("/dev/tty", .read, false),
      ("/proc/self/environ", .read, false),
      ("/proc", .read, false), ("/nowhere/host/store", .read, false), ("/nowhere/host", .write, false),
      ("/nowhere/host/plugins/a.lua", .read, true), ("/nowhere/host/plugins/a.lua", .write, false),
      ("/nowhere/store/accounts.sqlite-wal", .read, false), ("/nowhere/store/tasks.csv", .write, true),
      ("/nowhere/store", [.write, .entry], false), ("/nowhere", [.write, .entry], false),
      ("/nowhere/hostess", .write, true),
    ] as [(String, Permissions.FileUse, Bool)] {
      #expect(isAllowed { _ = try permissions.check(Array(path.utf8), use, by: "test") } == expected, "\(path)")
    }
    let everything = Permissions(.everything, base: Array("/".utf8))
    everything.protect(["/nowhere/host"])
    #expect(isAllowed { _ = try everything.check(Array("/nowhere/host/store".utf8), .read, by: "test") })
    #expect(isAllowed { _ = try everything.check(Array("/proc/self/mem".utf8), .write, by: "test") })
  }
}
