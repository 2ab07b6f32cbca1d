import ImportEngine
import ImportReport
import Testing

@Suite struct ProgressLineTests {
  private func snapshot(
    settled: Int, of total: Double? = nil, failed: Int = 0, rate: Double = 0, seconds: Double = 0,
    isFinished: Bool = false
  ) -> ProgressSnapshot {
    var snapshot = ProgressSnapshot()
    snapshot.counts.added = settled - failed
    snapshot.counts.failed = failed
    snapshot.source.rows = settled
    snapshot.inFlight = 16
    snapshot.rate = rate
    snapshot.seconds = seconds
    snapshot.isFinished = isFinished
    if let total {
      snapshot.source.totalBytes = 1000
      snapshot.source.bytes = Int(1000 * total)
    }
    return snapshot
  }

  @Test func wide() {
    let line = ProgressLine.render(
      snapshot(settled: 12345, of: 0.5, failed: 3, rate: 1028.7, seconds: 12), width: 120)
    #expect(
      line == "████████████████░░░░░░░░░░░░░░░░   50%  12,345 rows  3 failed  1,028/s  0:13 left  16 in flight")
  }

  @Test func narrow() {
    let line = ProgressLine.render(
      snapshot(settled: 12345, of: 0.5, failed: 3, rate: 1028.7, seconds: 12), width: 40)
    #expect(line == "█████░░░░░░   50%  12,345 rows  3 failed")
  }

  @Test func veryNarrow() {
    let snapshot = snapshot(settled: 1_000_000, of: 0.5, failed: 3, rate: 1000, seconds: 12)
    #expect(ProgressLine.render(snapshot, width: 20) == " 50%  1,000,000 rows")
    // A number that is cut off would be another number.
    #expect(ProgressLine.render(snapshot, width: 19) == "1,000,000 rows")
    #expect(ProgressLine.render(snapshot, width: 13) == "1,000,000")
    #expect(ProgressLine.render(snapshot, width: 8) == " 50%")
    #expect(ProgressLine.render(snapshot, width: 3) == "")
  }

  @Test(arguments: [0.0, 0.3, 0.999, 1]) func fitsEveryWidth(fraction: Double) {
    let phases: [ProgressSnapshot.Phase] = [
      .sending, .settling, .draining, .readingKnownRows, .waiting(until: 4012, reason: .asked(status: 429)),
      .waiting(until: 9000, reason: .unreachable),
    ]
    for settled in [0, 1, 999, 1_000_000] {
      for phase in phases {
        var snapshot = snapshot(settled: settled, of: fraction, failed: settled / 2, rate: 28000, seconds: 4000)
        snapshot.phase = phase
        snapshot.counts.unsettled = settled / 3
        for width in 0...200 {
          let line = ProgressLine.render(snapshot, width: width)
          #expect(line.count <= width)
          #expect(!line.isEmpty || width < 4)
        }
      }
    }
  }

  @Test func beginning() {
    #expect(ProgressLine.render(snapshot(settled: 0, of: 0), width: 40) == "░░░░░░░░░░░░    0%  0 rows  16 in flight")
  }

  @Test func unknownLength() {
    #expect(
      ProgressLine.render(snapshot(settled: 1, rate: 12, seconds: 3), width: 80) == "1 row  12/s  16 in flight")
  }

  @Test func inAFile() {
    let line = ProgressLine.render(
      snapshot(settled: 12345, of: 0.5, rate: 1028.7, seconds: 12), width: 100, hasBar: false)
    #expect(line == " 50%  12,345 rows  1,028/s  0:13 left  16 in flight")
  }

  @Test func end() {
    let line = ProgressLine.render(
      snapshot(settled: 1000, of: 1, rate: 9000, seconds: 3725, isFinished: true), width: 60)
    #expect(line == "█████████████████████  100%  1,000 rows  9,000/s  in 1:02:05")
  }

  @Test func waiting() {
    var snapshot = snapshot(settled: 12345, of: 0.5, failed: 3, rate: 800, seconds: 12)
    snapshot.phase = .waiting(until: 23.4, reason: .asked(status: 429))
    snapshot.inFlight = 0
    #expect(
      ProgressLine.render(snapshot, width: 100)
        == "█████████████░░░░░░░░░░░░░   50%  12,345 rows  waiting 12 s: the server asked for it (429)  3 failed")
    #expect(ProgressLine.render(snapshot, width: 40) == " 50%  12,345 rows  waiting 12 s")
    #expect(ProgressLine.render(snapshot, width: 20) == " 50%  waiting 12 s")
    #expect(ProgressLine.render(snapshot, width: 12) == "waiting 12 s")
    #expect(ProgressLine.render(snapshot, width: 10) == "12,345")
    snapshot.phase = .waiting(until: 200, reason: .unreachable)
    #expect(ProgressLine.render(snapshot, width: 80).contains("waiting 3:08: the server cannot be reached"))
  }

  /// Rows of earlier runs are on the bar from the beginning; they say nothing about how fast it goes now.
  @Test func timeLeftFollowsTheServer() {
    var snapshot = snapshot(settled: 900_100, of: 0.9001, rate: 100, seconds: 2)
    snapshot.resumedRows = 900_000
    #expect(abs(snapshot.secondsLeft! - 1000) < 1)
    #expect(abs(snapshot.fraction! - 0.9001) < 0.0001)
    // The server has become faster.
    snapshot.rate = 1000
    #expect(abs(snapshot.secondsLeft! - 100) < 0.1)
  }

  /// Rows that were read ahead are not done.
  @Test func rowsReadAheadAreNotDone() {
    var snapshot = snapshot(settled: 100, of: 1, rate: 10, seconds: 10)
    snapshot.source.rows = 400
    #expect(snapshot.fraction == 0.25)
    #expect(snapshot.secondsLeft == 30)
  }

  @Test func knownNumberOfRows() {
    var snapshot = snapshot(settled: 100, rate: 10, seconds: 10)
    snapshot.source.totalRows = 400
    #expect(snapshot.fraction == 0.25)
    #expect(snapshot.secondsLeft == 30)
    snapshot.source.totalRows = 0
    #expect(snapshot.fraction == 1)
  }
}
