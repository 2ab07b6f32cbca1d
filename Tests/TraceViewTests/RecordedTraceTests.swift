import Core
import Foundation
import Testing
import Trace

@testable import TraceView

@Suite("Files that are no traces, or not whole")
struct RecordedTraceTests {
  private func problem(_ text: String, name: String = "flow.json") throws -> TraceError? {
    try SampleTrace.withFile(text, name: name) { path in
      do throws(TraceError) {
        _ = try RecordedTrace(path: path)
        return nil
      } catch { return error }
    }
  }

  @Test("an empty file") func empty() throws {
    #expect(try problem("")?.message.hasSuffix("flow.json is not a trace: it is empty") == true)
  }

  @Test("another file", arguments: ["hello", "{\"log\":{}}\n", "[1]\n"]) func other(text: String) throws {
    let error = try problem(text)
    #expect(
      error?.message.hasSuffix("flow.json is not a trace: its first line is no JSON object of the type trace") == true)
    #expect(error?.hint == "record one with b2c-run --trace FILE.json SCRIPT")
  }

  @Test("the page of a trace") func page() throws {
    #expect(
      try problem("<!DOCTYPE html>\n", name: "flow.html")?.hint
        == "open it in a browser; b2c-run --trace FILE.json records what trace show and trace compare read")
  }

  @Test("a newer version") func newer() throws {
    let error = try problem(#"{"type":"trace","version":2}"# + "\n")
    #expect(error?.message.hasSuffix("flow.json is a trace of version 2, and this program reads version 1") == true)
    #expect(error?.hint == "read it with the b2c-run that recorded it, or a newer one")
  }

  @Test("a line in the middle that is none") func malformed() throws {
    let text = SampleTrace().text.replacing(#"{"type":"token""#, with: #"{"type":"#)
    #expect(try problem(text)?.message.hasSuffix("flow.json:4: expected an event, a JSON object with a type") == true)
  }

  @Test("a run that was killed is read to where it ends") func cutOff() throws {
    var sample = SampleTrace()
    sample.isWhole = false
    let whole = try sample.read()
    #expect(whole.events.count == 5)
    #expect(
      whole.warning?.hasSuffix(
        "flow.json has no end: the run was killed, or is still running; the page shows the recorded part") == true)
    let torn = try SampleTrace.withFile(String(sample.text.dropLast(30))) { try RecordedTrace(path: $0) }
    #expect(torn.events.count == 4)
    #expect(torn.warning?.hasSuffix("flow.json is cut off within line 6; shown is what is before") == true)
  }

  @Test(
    "numbers that nobody recorded are shown as some number",
    arguments: ["9223372036854775807", "-9223372036854775808", "1e308"])
  func oddNumbers(number: String) throws {
    var sample = SampleTrace()
    sample.rows = 2
    let text = sample.text
    for match in text.matches(of: /("(?:at|took|status|coroutine|id|connect|wait)":|\[|,)\d+/) {
      let odd = text.replacingCharacters(in: match.range, with: match.output.1 + number)
      _ = try SampleTrace.page(of: odd)
      let trace = try SampleTrace.withFile(odd) { try RecordedTrace(path: $0) }
      #expect(!TraceTable(trace).text(width: 80) { text, _ in text }.isEmpty)
      #expect(!TraceComparison(trace, try sample.read()).text(width: 80) { text, _ in text }.isEmpty)
    }
  }

  @Test("events that are not known are left aside") func unknown() throws {
    let text = SampleTrace().text.replacing(
      #"{"type":"end""#, with: "{\"type\":\"weather\",\"id\":8,\"at\":1}\n{\"type\":\"end\"")
    #expect(try SampleTrace.withFile(text) { Story(try RecordedTrace(path: $0)).steps.count } == 5)
  }
}
