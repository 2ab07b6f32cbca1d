import CommandLineSupport
import Foundation
import Testing

/// A process hides its memory from other processes of the same user.
@Suite struct MemoryPrivacyTests {
  /// The system gives what belongs to a process that cannot be dumped to root. Root itself sees no difference, so another
  /// user is needed then.
  @Test func isNotForOtherProcessesOfTheUser() throws {
    let program = try Program()
    let user = getuid() == 0 ? "setpriv --reuid 65534 --clear-groups --" : ""
    let line = """
      chmod 755 .
      \(user) $0 -e 'io.stderr:write("up"); b2c.async.sleep(60)' 2> up &
      for try in $(seq 400); do [ ! -s up ] || break; sleep 0.05; done
      cat up; stat -c %u /proc/$!/environ /proc/$!/mem
      kill $!
      """
    let result = try program.shell(line, "")
    #expect(result.output == "up0\n0\n", "\(result)")
  }
}
