import Core
import Testing

@Suite("What an error says of itself")
struct FailureTests {
  private struct Plain: Failure {
    let code = "plain"
    let message = "it broke"
    var hint: String?
  }

  @Test func description() {
    #expect("\(Plain())" == "it broke")
    #expect("\(Plain(hint: "mend it"))" == "it broke (mend it)")
  }

  @Test func defaults() {
    let failure = Plain()
    #expect(failure.status == nil)
    #expect(failure.isRetryable == false)
    #expect(failure.details == [:])
  }
}
