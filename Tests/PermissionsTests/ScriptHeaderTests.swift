import Permissions
import Testing

@Suite("What a script says of itself")
struct ScriptHeaderTests {
  @Test func needs() {
    let header = ScriptHeader(
      Array(
        """
        #!/usr/bin/env b2c-run
        -- Posts a summary.
        --
        -- needs: --allow-net=hooks.example.com  posts the summary there
        -- needs: --allow-read=/etc --allow-env=HOME
        --        for the name of this machine
        -- More of the text.

        -- needs: --allow-run  not in the first comment
        """.utf8))
    #expect(header.text == ["Posts a summary.", "", "More of the text."])
    #expect(
      header.needs.map(\.flags) == [["--allow-net=hooks.example.com"], ["--allow-read=/etc", "--allow-env=HOME"]])
    #expect(header.needs.map(\.reason) == ["posts the summary there", "for the name of this machine"])
  }

  @Test(
    "what is no permission is told, with its line",
    arguments: [
      ("--allow-writ=x  for notes", "--allow-writ is not a permission", "did you mean --allow-write?"),
      ("allow-read=y  for notes", "allow-read is not a permission", "did you mean --allow-read?"),
      ("\u{2013}allow-net", "\u{2013}allow-net is not a permission", "did you mean --allow-net?"),
      ("--allow-env allow-run=git", "allow-run is not a permission", "did you mean --allow-run?"),
      ("--allow-net=", "--allow-net: expected HOST after the equals sign, got nothing", nil),
      (
        "--allow-net=https://a.example/", "--allow-net: expected HOST or HOST:PORT, got the URL 'https://a.example/'",
        "--allow-net=a.example"
      ),
      ("--allow-all=x", "--allow-all takes no value", nil),
      (
        "--lo\u{1B}cal", "--lo\u{FFFD}cal is not a permission",
        "permissions are --allow-net, --allow-read, --allow-write, --allow-env, --allow-run, --allow-secret, --allow-all"
      ),
    ])
  func mistakes(need: String, message: String, hint: String?) {
    let header = ScriptHeader(Array("#!/usr/bin/env b2c-run\n-- Does it.\n-- needs: -A\n-- needs: \(need)\n".utf8))
    #expect(header.mistakes.map(\.line) == [4])
    #expect(header.mistakes.map(\.message) == ["needs: \(message)"])
    #expect(header.mistakes.map(\.hint) == [hint])
    #expect(header.flags == (need.hasPrefix("--allow-env") ? ["-A", "--allow-env"] : ["-A"]))
  }

  @Test(
    "a reason may begin with any word",
    arguments: ["--allow-write=notes.txt  writes them", "--allow-net  all of it", "nothing", ""])
  func reasons(need: String) { #expect(ScriptHeader(Array("-- needs: \(need)".utf8)).mistakes == []) }

  @Test(
    "a script may begin with anything",
    arguments: ["", "\n", "--", "print 1", "--[[ x ]]", "\u{FEFF}-- x", "-- needs:"])
  func odd(source: String) {
    let header = ScriptHeader(Array(source.utf8))
    #expect(header.needs.allSatisfy { $0.reason.isEmpty })
    #expect(header.text == (source.hasSuffix("-- x") ? ["x"] : []))
  }
}
