import Testing

@testable import Trace

struct TraceFormatTests {
  @Test func theEndingSaysWhatIsWritten() {
    #expect(TraceFormat(path: "a/flow.har") == .har)
    #expect(TraceFormat(path: "flow.v2.JSON") == .json)
    #expect(TraceFormat(path: "flow.txt") == nil)
    #expect(TraceFormat(path: "flow") == nil)
  }
}
