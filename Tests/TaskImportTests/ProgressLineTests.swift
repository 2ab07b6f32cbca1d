import TaskImport
import Testing

@Suite struct ProgressLineTests {
  private func snapshot(
    settled: Int, of total: Double? = nil, failed: Int = 0, rate: Double = 0, seconds: Double = 0,
    isFinished: Bool = false
  ) -> ProgressSnapshot {
    var snapshot = ProgressSnapshot()
    snapshot.added = settled - failed
    snapshot.failed = failed
    snapshot.inFlight = 16
    snapshot.rate = rate
    snapshot.seconds = seconds
    snapshot.isFinished = isFinished
    if let total {
      snapshot.totalBytes = 1000
      snapshot.bytesRead = Int(1000 * total)
    }
    return snapshot
  }

  @Test func wide() {
    let line = ProgressLine.render(
      snapshot(settled: 12345, of: 0.5, failed: 3, rate: 2310.7, seconds: 12), width: 120)
    #expect(
      line == "████████████████░░░░░░░░░░░░░░░░   50%  12,345 rows  3 failed  2,310/s  0:12 left  16 in flight")
  }

  @Test func narrow() {
    let line = ProgressLine.render(
      snapshot(settled: 12345, of: 0.5, failed: 3, rate: 2310.7, seconds: 12), width: 40)
    #expect(line == "█████░░░░░░   50%  12,345 rows  3 failed")
  }

  @Test(arguments: [0.0, 0.3, 0.999, 1]) func fitsEveryWidth(fraction: Double) {
    for settled in [0, 1, 999, 1_000_000] {
      let snapshot = snapshot(settled: settled, of: fraction, failed: settled / 2, rate: 28000, seconds: 4000)
      for width in 0...160 {
        #expect(ProgressLine.render(snapshot, width: width).count <= width)
      }
      #expect(ProgressLine.render(snapshot, width: 80).count > 60)
    }
  }

  @Test func beginning() {
    #expect(ProgressLine.render(snapshot(settled: 0, of: 0), width: 40) == "░░░░░░░░░░░░    0%  0 rows  16 in flight")
  }

  @Test func unknownLength() {
    #expect(
      ProgressLine.render(snapshot(settled: 1, rate: 12, seconds: 3), width: 80) == "1 row  12/s  16 in flight")
  }

  @Test func end() {
    let line = ProgressLine.render(
      snapshot(settled: 1000, of: 1, rate: 9000, seconds: 3725, isFinished: true), width: 60)
    #expect(line == "█████████████████████  100%  1,000 rows  9,000/s  in 1:02:05")
  }
}
