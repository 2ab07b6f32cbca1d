import Foundation
import HostLoop
import JSON
import TestSupport
import Testing

@testable import ImportFormats

/// Files with one fault each are read right, or each doubtful row fails by its line. With `POLLUTED=FOLDER` in the environment, the
/// files and their truth are written there, for `bench/run polluted`. With `DRILLS=1`, all files are read.
struct PollutedFilesTests {
  private struct Totals {
    var files = 0
    var right = 0
    var wrong: [String] = []
    var stopped: [String] = []
    /// The files in which rows without a fault failed.
    var failed: [String] = []
    private var scores: [PollutedFile.Kind: [Double]] = [:]

    mutating func add(_ file: PollutedFile, _ verdict: PollutedVerdict) {
      files += 1
      if verdict.isRight { right += 1 }
      wrong += verdict.wrong.map { "\(file.name): \($0)" }
      if verdict.isStopped, !file.bytes.isEmpty { stopped.append(file.name) }
      if verdict.failed > 0 { failed.append("\(file.name): \(verdict.failed)") }
      scores[file.kind, default: []].append(verdict.score)
    }

    /// The mean of all files, up to 10.
    var simple: Double { scores.values.joined().reduce(0, +) / Double(files) }

    /// The mean of all kinds, by how often files have them.
    var weighted: Double {
      let parts = scores.map { (weight: $0.key.weight, mean: $0.value.reduce(0, +) / Double($0.value.count)) }
      return parts.reduce(0) { $0 + $1.weight * $1.mean } / parts.reduce(0) { $0 + $1.weight }
    }

    var summary: JSON {
      [
        "files": .integer(Int64(files)), "right": .integer(Int64(right)), "wrong": .integer(Int64(wrong.count)),
        "stopped": .integer(Int64(stopped.count)), "simple": .number(simple), "weighted": .number(weighted),
      ]
    }
  }

  @Test @HostActor func everyFileIsReadRightOrToldOf() async throws {
    var totals = Totals()
    let folder = ProcessInfo.processInfo.environment["POLLUTED"].map { URL(fileURLWithPath: $0) }
    var truths = ""
    let all = Polluter().files
    // A part of the files shows what a change breaks; all of them take minutes.
    let step = folder != nil || ProcessInfo.processInfo.environment["DRILLS"] == "1" ? 1 : 5
    for file in stride(from: 0, to: all.count, by: step).map({ all[$0] }) {
      totals.add(file, PollutedVerdict(file, try PollutedReading(file.bytes)))
      if let folder {
        try Data(file.bytes).write(to: folder.appending(path: "\(totals.files).csv"))
        truths += file.truth.encoded() + "\n"
      }
      await Task.yield()
    }
    if let folder {
      try truths.write(to: folder.appending(path: "truth.ndjson"), atomically: true, encoding: .utf8)
      try totals.summary.encoded().write(to: folder.appending(path: "own.json"), atomically: true, encoding: .utf8)
    }
    #expect(all.count >= 2290)
    #expect(totals.wrong == [])
    #expect(totals.stopped.count <= 20, "\(totals.stopped)")
    #expect(totals.failed == [])
    #expect(totals.simple >= 9.85, "\(totals.simple)")
    #expect(totals.weighted >= 9.95, "\(totals.weighted)")
  }
}

extension PollutedFile {
  fileprivate var truth: JSON {
    let rows = rows.map { JSON.array($0.map { .string($0) }) }
    return [
      "name": .string(name), "header": .bool(header != nil), "rows": .array(rows),
      "damaged": .array(damaged.sorted().map { .integer(Int64($0)) }),
    ]
  }
}
