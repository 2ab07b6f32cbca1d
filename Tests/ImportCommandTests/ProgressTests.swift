import CommandLineSupport
import Foundation
import Testing

@Suite("Progress on a terminal")
struct ProgressTests {
  @Test("what a script prints stands above the progress line")
  func printing() throws {
    let script = """
      local progress = b2c.term.progress { total = 10 }
      progress:update(5)
      print "printed"
      io.write "written\\n"
      b2c.log.warn "logged"
      progress:update(10)
      progress:finish()
      print "done"
      """
    let session = try TerminalSession(Program(), ["-e", script])
    #expect(session.end() == 0)
    let screen = session.screen.replacing("\u{1B}[J", with: "^").replacing("\u{1B}[?7h", with: "")
    // Each of them begins where the line was, of which nothing is left.
    #expect(screen.contains("50%  5 of 10^\r\r^printed\r\nwritten\r\n\r^warn  logged\r\n"))
    #expect(screen.hasSuffix("100%  10 of 10^\r\r^done\r\n"))
  }
}
