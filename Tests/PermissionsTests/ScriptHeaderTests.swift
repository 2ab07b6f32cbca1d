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
    "a script may begin with anything",
    arguments: ["", "\n", "--", "print 1", "--[[ x ]]", "\u{FEFF}-- x", "-- needs:"])
  func odd(source: String) {
    let header = ScriptHeader(Array(source.utf8))
    #expect(header.needs.allSatisfy { $0.reason.isEmpty })
    #expect(header.text == (source.hasSuffix("-- x") ? ["x"] : []))
  }
}
