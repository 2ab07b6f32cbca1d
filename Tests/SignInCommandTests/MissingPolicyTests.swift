import CommandLineSupport
import Testing

@Suite("A policy that is not there")
struct MissingPolicyTests {
  @Test(
    "is told before a person is sent to a browser",
    arguments: [["sign-in"], ["sign-in", "--agent", "terminal"], ["sign-in", "--agent", "system"]])
  func told(_ words: [String]) throws {
    let program = try Program()
    let result = try program.run(list: ["--quiet", "--local"] + words + ["--policy", "b2c_1_sussi"])
    #expect(result.status != 0)
    #expect(result.errors.contains("perhaps there is no policy \"b2c_1_sussi\""), "\(result)")
    #expect(result.errors.contains("did you mean \"b2c_1_susi\"?"), "\(result)")
    #expect(!result.errors.contains("/authorize"), "\(result)")
  }
}
