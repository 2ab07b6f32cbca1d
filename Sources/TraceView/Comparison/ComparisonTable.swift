import Core
import Pages

extension TraceComparison {
  /// A request counts as slower or faster from this on: by half of the longer time, and five milliseconds.
  private static let notable = (share: 0.5, microseconds: 5000)

  static let noDifferences = "No differences, apart from times and values that are new in each run."
  static let timingCaution = "One run each: such differences of time may be chance."

  /// The timings that differ much, the greatest differences in front.
  var notableTimings: [Timing] {
    timings.filter { timing in
      let difference = abs(timing.first - timing.second)
      return difference >= Self.notable.microseconds
        && Double(difference) >= Self.notable.share * Double(max(timing.first, timing.second))
    }.sorted { abs($0.first - $0.second) > abs($1.first - $1.second) }
  }

  /// The values that are new in each run, in one sentence; nil without any.
  var changingSentence: String? {
    changing.isEmpty ? nil : "Different each time, as it should be: \(changing.joined(separator: ", "))."
  }

  /// The differences as a table for the terminal.
  package func text(width: Int?, paint: (String, String) -> String) -> String {
    var parts: [String] = []
    if differences.isEmpty {
      parts.append(Self.noDifferences + "\n")
    } else {
      var grid = TextGrid(header: ["where", "what", "A", "B"], flexible: 0)
      var last = ""
      for difference in differences {
        let place = difference.place == last ? "" : difference.place
        last = difference.place
        let values = DistinctTexts.clipped(difference.shown, to: 48)
        grid.rows.append(TextGrid.Row(cells: [place, difference.name] + values))
      }
      parts.append(grid.fits(width) ? grid.text(width: width, paint) : stacked(width: width ?? 80, paint))
    }
    let timings = notableTimings
    if !timings.isEmpty {
      var grid = TextGrid(header: ["time", "A", "B", "difference"], numeric: [1, 2, 3], flexible: 0)
      grid.rows = timings.map { timing in
        let cells = [Amount.duration(timing.first), Amount.duration(timing.second), timing.difference]
        return TextGrid.Row(cells: [timing.place] + cells)
      }
      parts.append(grid.text(width: width, paint) + paint(Self.timingCaution, "2") + "\n")
    }
    if let changingSentence { parts.append(paint(changingSentence, "2") + "\n") }
    return "A  \(first.name.displayable)\nB  \(second.name.displayable)\n\n" + parts.joined(separator: "\n")
  }

  /// The differences for a terminal that is too narrow for a table: places on lines of their own, and A above B.
  private func stacked(width: Int, _ paint: (String, String) -> String) -> String {
    let column = min(differences.map(\.name.displayable.displayWidth).max() ?? 0, 28)
    let room = max(12, width - column - 7)
    var text = ""
    var last: String?
    for difference in differences {
      if difference.place != last { text += "\(difference.place.displayable.clipped(to: width))\n" }
      last = difference.place
      let values = DistinctTexts.clipped(difference.shown, to: room)
      for (name, letter, value) in [(difference.name, "A", values[0]), ("", "B", values[1])] {
        let label = paint("\(name.displayable.fitted(to: column))  \(letter)", "2")
        text += "  \(label)  \(value)\n"
      }
    }
    return text
  }
}
