import CommandLineSupport
import Foundation
import Testing

/// Manual pages, and what `make install` installs.
@Suite("Installation")
struct InstallTests {
  @Test("each command has a manual page, the files have some, and groff and mandoc find nothing wrong")
  func manuals() throws {
    let program = try Program()
    let written = try program.run("man", "--output", "share")
    #expect(written.status == 0, "\(written)")
    let folder = program.folder.appending(path: "share")
    let names = try ["man1", "man5"].flatMap { section in
      try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: section).path).sorted()
        .map { "\(section)/\($0)" }
    }
    for name in [
      "man1/b2c-run.1", "man1/b2c-run-import.1", "man1/b2c-run-tenant.1", "man1/b2c-run-jobs.1", "man5/b2c-run-jobs.5",
      "man5/b2c-run-settings.5",
    ] { #expect(names.contains(name), "\(name) is missing") }
    #expect(written.errors == "info  wrote \(names.count) manual pages to share\n")
    for name in names {
      let page = folder.appending(path: name).path
      let rendered = try program.run(
        list: ["-ww", "-man", "-Tutf8", page], executable: URL(filePath: "/usr/bin/groff"))
      #expect(rendered.status == 0 && rendered.errors == "", "\(name): \(rendered)")
      let plain = try program.run(
        list: ["-man", "-Tascii", "-P-cbou", page], executable: URL(filePath: "/usr/bin/groff"))
      for line in plain.output.split(separator: "\n") { #expect(line.count <= 80, "\(name): \(line)") }
      // The pages are installed in another folder.
      #expect(!rendered.output.contains(Program.project.path), "\(name): \(rendered)")
      let checked = try program.run(list: ["-Tlint", page], executable: URL(filePath: "/usr/bin/mandoc"))
      #expect(checked.status == 0 && checked.output + checked.errors == "", "\(name): \(checked)")
    }
    let page = try program.run("man", "import")
    let file = folder.appending(path: "man1/b2c-run-import.1")
    #expect(page.output == (try String(contentsOf: file, encoding: .utf8)))
    let text = try program.shell("\"$0\" man import | groff -man -Tascii -P-cbou", "").output
    for words in ["b2c-run [options] import [options] FILE", "--rate ROWS", "--resume HOW", "yes, no, match"] {
      #expect(text.contains(words), "\(words) is not in\n\(text)")
    }
    let main = try program.shell("\"$0\" man | groff -man -Tascii -P-cbou", "").output
    for words in ["--allow-net[=HOST]", "EXIT STATUS", "   permissions", "b2c-run-sign-in(1)"] {
      #expect(main.contains(words), "\(words) is not in\n\(main)")
    }
    let settings = try program.shell("\"$0\" man settings | groff -man -Tascii -P-cbou", "").output
    for words in ["clientAuthentication", "redirectURL, bhh", "The redirect URI that is registered"] {
      #expect(settings.contains(words), "\(words) is not in\n\(settings)")
    }
    let jobs = try program.shell("\"$0\" man jobs.5 | groff -man -Tascii -P-cbou", "").output
    for words in ["catch_up_within", "run.wait_for(options)", "run.step(name, f)", "on = { every = \"15m\" }"] {
      #expect(jobs.contains(words), "\(words) is not in\n\(jobs)")
    }
    let unknown = try program.run("man", "imprt")
    #expect(unknown.status == 2)
    #expect(unknown.errors.contains("man: there is no command 'imprt'\n  hint: did you mean 'import'"), "\(unknown)")
  }

  @Test("make install installs the program, scripts, examples, documentation, manual pages and completions")
  func install() throws {
    let program = try Program()
    // The program as it was built for the tests takes the place of the release. It is alone in its folder, as the
    // program of a package is, so that only the installed scripts and pages are found.
    let root = program.folder.appending(path: "root").path
    let copy = program.folder.appending(path: "alone/b2c-run")
    try FileManager.default.createDirectory(
      at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: Program.binary, to: copy)
    let result = try program.run(
      list: [
        "--silent", "--directory", Program.project.path, "--old-file=build", "install", "DESTDIR=\(root)",
        "PREFIX=/opt/b2c", "release=\(copy.path)",
      ], executable: URL(filePath: "/usr/bin/make"))
    #expect(result.status == 0, "\(result)")
    let share = "\(root)/opt/b2c/share"
    for file in [
      "b2c-run/scripts/import.lua", "b2c-run/scripts/flows/device_code.lua", "doc/b2c-run/Tutorial.md",
      "doc/b2c-run/examples/quickstart.lua", "man/man1/b2c-run.1", "man/man1/b2c-run-sign-in.1",
      "man/man5/b2c-run-jobs.5", "man/man5/b2c-run-settings.5",
      "bash-completion/completions/b2c-run", "zsh/site-functions/_b2c-run", "fish/vendor_completions.d/b2c-run.fish",
    ] {
      #expect(FileManager.default.fileExists(atPath: "\(share)/\(file)"), "\(file) is missing")
    }
    for name in ["b2c-run-import", "b2c-run-settings"] {
      let found = try program.run(
        list: ["-M", "\(share)/man", "-w", name], executable: URL(filePath: "/usr/bin/man"))
      #expect(found.output.hasPrefix("\(share)/man/man"), "\(found)")
    }
    // The installed program uses the installed files.
    let installed = try program.run(
      list: ["help", "permissions"], executable: URL(filePath: "\(root)/opt/b2c/bin/b2c-run"))
    #expect(installed.output.contains("(\(root)/opt/b2c/share/doc/b2c-run/Security.md)"), "\(installed)")
    try checkLinks(in: "\(share)/doc/b2c-run")
    // The units in the pages run the installed program.
    let units = try program.shell("grep -ohE 'ExecStart=[^ ]+' \"$1\"/*.md | sort -u", "\(share)/doc/b2c-run")
    #expect(units.output == "ExecStart=/opt/b2c/bin/b2c-run\n", "\(units)")
  }

  /// A folder such as the tarball has, whose program only tells its version.
  private func unpacked(in program: Program) throws -> String {
    let folder = program.folder.appending(path: "unpacked").path
    let result = try program.shell(
      """
      mkdir -p unpacked/bin unpacked/libexec unpacked/share/b2c-run unpacked/lib/systemd/system && cd unpacked
      cp "$1/packaging/install.sh" .
      for unit in service socket; do sed 's|@PREFIX@||' "$1/systemd/b2c-run.$unit" >lib/systemd/system/b2c-run.$unit; done
      cp "$0" bin/b2c-run && echo text >share/b2c-run/text && chmod 600 share/b2c-run/text
      """, Program.project.path)
    try #require(result.status == 0, "\(result)")
    return folder
  }

  @Test("install.sh makes files of whoever runs it, which all may read, and names its folder in the units")
  func script() throws {
    let program = try Program()
    let folder = try unpacked(in: program)
    // As root, the files that were unpacked are another user's.
    if getuid() == 0 { chown("\(folder)/bin/b2c-run", 65534, 65534) }
    let prefix = program.folder.appending(path: "a+b@c").path
    let result = try program.run(list: [prefix], executable: URL(filePath: "\(folder)/install.sh"))
    #expect(result.status == 0, "\(result)")
    for (file, mode) in [
      ("bin/b2c-run", 0o755), ("share/b2c-run/text", 0o644), ("lib/systemd/system/b2c-run.service", 0o644),
    ] {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(prefix)/\(file)")
      #expect(attributes[.posixPermissions] as? Int == mode, "\(file)")
      #expect(attributes[.ownerAccountID] as? Int == Int(getuid()), "\(file)")
    }
    let unit = try String(contentsOfFile: "\(prefix)/lib/systemd/system/b2c-run.service", encoding: .utf8)
    #expect(unit.contains("ExecStart=\(prefix)/bin/b2c-run"), "\(unit)")
  }

  @Test(
    "install.sh refuses a folder that a unit cannot name, before it makes a file",
    arguments: ["a|b", "a&b", "a b", "a%n", "a\\b", "a'b", "a\nUser=root"])
  func refusedPrefix(name: String) throws {
    let program = try Program()
    let folder = try unpacked(in: program)
    let prefix = program.folder.appending(path: name).path
    let result = try program.run(list: [prefix], executable: URL(filePath: "\(folder)/install.sh"))
    #expect(result.status == 2, "\(result)")
    #expect(result.errors.contains("has a character other than letters, digits and /._+@-\nNothing was installed."))
    #expect(!FileManager.default.fileExists(atPath: prefix))
  }

  @Test("a program that was copied without its folder scripts says so")
  func copiedAlone() throws {
    let program = try Program()
    let copy = program.folder.appending(path: "bin/b2c-run")
    try FileManager.default.createDirectory(
      at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: Program.binary, to: copy)
    let result = try program.run(
      list: [
        "--local", "-e", "b2c.accounts.sign_in { agent = 'headless', username = 'alice', password = 'Wonderland-1' }",
      ],
      executable: copy)
    #expect(result.status == 1)
    #expect(
      result.errors.contains("cannot read the stock flow \(program.folder.resolvingSymlinksInPath().path)/"),
      "\(result)")
    #expect(result.errors.contains("authorization_code.lua: No such file or directory"))
    #expect(result.errors.contains("hint: install b2c-run with its folder scripts"))
  }

  /// Every link of a page to a file leads to one.
  private func checkLinks(in folder: String) throws {
    var count = 0
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasSuffix(".md") {
      let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
      for link in text.matches(of: #/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/#).map({ String($0.output.1) }) {
        count += 1
        #expect(FileManager.default.fileExists(atPath: "\(folder)/\(link)"), "\(name): \(link)")
      }
    }
    #expect(count > 50)
  }
}
