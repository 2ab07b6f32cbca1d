import JSON
import Jobs
import Testing

/// The time that a run took, as lists show it.
@Suite struct TookTests {
  @Test(
    arguments: [
      (0, "< 0.1 s"), (99, "< 0.1 s"), (340, "0.3 s"), (9_999, "9.9 s"), (10_000, "10 s"), (119_000, "119 s"),
      (240_000, "4 min"), (-5, "< 0.1 s"),
    ] as [(Int64, String)])
  func took(_ milliseconds: Int64, _ text: String) {
    var run = RunRecord(job: "job", kind: "hand", event: .object([:]), created: 1)
    #expect(run.took == nil)
    (run.started, run.ended) = (1_000_000, 1_000_000 + milliseconds)
    #expect(run.took == text)
  }
}
