import CommandLineSupport
import Foundation
import HostLoop
import JSON
import Testing

/// The documentation as web pages, which `make site` writes, in a real browser.
@Suite("The site", .timeLimit(.minutes(5)))
struct SiteTests {
  @Test("its pages are readable on a phone and a desktop, and the search needs the keyboard alone")
  func browser() async throws {
    let program = try Program()
    let written = try program.run(
      list: [program.folder.appending(path: "site").path],
      executable: Program.project.appending(path: "packaging/site/generate"))
    #expect(written.status == 0, "\(written)")
    let site = "file://\(program.folder.path)/site"
    try await WebBrowser.with { browser in
      for (width, isDark) in [(1280, false), (390, true)] {
        try await browser.show(width: width, isDark: isDark)
        for page in ["index", "Settings", "Tutorial", "API-tasks", "ManyMachines"] {
          try await browser.open("\(site)/\(page).html")
          let problems = try await browser.problems().filter { $0 != "the page has a script" }
          #expect(problems.isEmpty, "\(page) at \(width): \(problems)")
          let broken = try await browser.evaluate(
            """
            [...document.querySelectorAll("code")].filter(code => /^-[-a-zA-Z]+$/.test(code.textContent)
              && code.getClientRects().length > 1).map(code => code.textContent).join()
            """)
          #expect(broken == "", "\(page) at \(width) breaks options")
        }
      }
      // Only files of the site are read.
      let resources = try await browser.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
      let names = resources.array?.compactMap(\.string) ?? []
      #expect(names.allSatisfy { $0.hasPrefix(site) || $0.hasPrefix("data:") }, "\(names)")

      try await browser.press("/")
      #expect(try await browser.evaluate("document.activeElement.id") == "search")
      for key in "damaged journal" { try await browser.press(String(key)) }
      #expect(try await browser.text("#results [aria-selected=true]").contains("A journal that is damaged"))
      try await browser.press("ArrowDown")
      try await browser.press("ArrowUp")
      try await browser.press("Enter")
      #expect(try await browser.text("h1") == "Importing task lists")
      #expect(try await browser.address().hasSuffix("/Import.html#a-journal-that-is-damaged"))
    }
  }

  @Test("a link that leads nowhere is an error that names the page")
  func brokenLink() throws {
    let program = try Program()
    for name in ["packaging/site", "CHANGELOG.md"] {
      let copy = program.folder.appending(path: name)
      try FileManager.default.createDirectory(
        at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: Program.project.appending(path: name), to: copy)
    }
    let catalog = "Sources/b2c-run/Documentation.docc"
    try program.write("\(catalog)/b2c-run.md", "# b2c-run\n\n### Start\n\n- [One](One.md)\n")
    for (text, message) in [
      ("[Two](Two.md)", "One.md: Two.md leads to no page"),
      ("[Start](b2c-run.md#end)", "One.md: b2c-run.md#end: b2c-run has no section #end"),
    ] {
      try program.write("\(catalog)/One.md", "# One\n\n\(text)\n")
      let result = try program.run(
        list: [program.folder.appending(path: "site").path],
        executable: program.folder.appending(path: "packaging/site/generate"))
      #expect(result.status == 1 && result.errors.contains(message), "\(result)")
    }
  }
}
