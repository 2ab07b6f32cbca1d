import JobProcesses
import Testing

/// The files of the folder of jobs.
@Suite struct JobFolderTests {
  @Test func filesOfOneNameInTheEyesOfUnicode() throws {
    let names = ["e\u{301}", "\u{e9}", "K", "\u{212A}", "a"]
    let clashes = JobFolder.clashes(among: names)
    #expect(clashes.count == 2)
    #expect(
      clashes["\u{e9}"]
        == "the names of the files e\\u{301}.lua and \\u{e9}.lua differ only in the spelling of their characters: rename "
        + "one of them")
    #expect(clashes["K"]?.contains("K.lua and \\u{212a}.lua") == true)
  }
}
