/// Makes the polluted files: each has one fault, at each place where it may be. The files are the same in each run.
struct Polluter {
  private let table = WrittenTable.tasks

  var files: [PollutedFile] { [table.file(.none, "as it is")] + cells + rows + fileFaults() }

  /// The places of all cells: line 0 is the header.
  private func each(_ change: (inout [[String]], Int, Int) -> Bool, _ kind: PollutedFile.Kind, _ what: String)
    -> [PollutedFile]
  {
    let cells = table.cells
    return cells.indices.flatMap { row in
      cells[row].indices.compactMap { column in
        var changed = cells
        guard change(&changed, row, column) else { return nil }
        return table.file(
          kind, "\(what), row \(row), column \(column + 1)", changed, damaged: row > 0 ? [row - 1] : [])
      }
    }
  }

  private var cells: [PollutedFile] {
    let middle = { (cell: String) in cell.index(cell.startIndex, offsetBy: cell.count / 2) }
    let faults: [((inout [[String]], Int, Int) -> Bool, PollutedFile.Kind, String)] = [
      (
        {
          $0[$1][$2] = "\"" + $0[$1][$2]
          return true
        }, .strayQuote, "before the cell"
      ),
      (
        {
          $0[$1][$2] += "\""
          return true
        }, .strayQuote, "behind the cell"
      ),
      (
        { cells, row, column in
          // Behind a digit, a quote marks inches.
          guard row > 0, let place = cells[row][column].firstIndex(where: \.isLetter) else { return false }
          cells[row][column].insert("\"", at: cells[row][column].index(after: place))
          return true
        }, .strayQuote, "in the cell"
      ),
      (
        { cells, row, column in
          guard row > 0, column + 1 < cells[row].count else { return false }
          cells[row][column] += cells[row].remove(at: column + 1)
          return true
        }, .missingSeparator, "behind the cell"
      ),
      (
        {
          $0[$1].insert("", at: $2)
          return $1 > 0
        }, .extraSeparator, "before the cell"
      ),
      (
        {
          $0[$1].remove(at: $2)
          return $1 > 0
        }, .missingCell, "this cell"
      ),
      (
        { cells, row, column in
          guard row > 0, cells[row][column].count > 2, !cells[row][column].contains("\"") else { return false }
          cells[row][column].insert(",", at: middle(cells[row][column]))
          return true
        }, .unquotedSeparator, "in the cell"
      ),
      (
        { cells, row, column in
          guard row > 0, cells[row][column].count > 1 else { return false }
          cells[row][column] = column % 2 == 0 ? " " + cells[row][column] : cells[row][column] + " "
          return true
        }, .blanks, "at the cell"
      ),
    ]
    return faults.flatMap { each($0.0, $0.1, $0.2) } + shifts
  }

  /// A text that is cut at a comma, and a later cell that is missing: the row has its width, and its values stand beside their
  /// columns.
  private var shifts: [PollutedFile] {
    let cells = table.cells
    return (1..<cells.count).flatMap { row in
      [(0, 3), (0, 4), (0, 6), (0, 7), (4, 7)].compactMap { text, gone in
        guard !cells[row][text].isEmpty, !cells[row][text].contains("\"") else { return nil }
        var changed = cells
        changed[row].remove(at: gone)
        changed[row].insert(" and more", at: text + 1)
        return table.file(
          .shiftedValues, "row \(row), columns \(text + 1) to \(gone + 1)", changed, damaged: [row - 1])
      }
    }
  }

  private var rows: [PollutedFile] {
    let cells = table.cells
    let lines = cells.map { $0.joined(separator: ",") }
    return (1..<cells.count).flatMap { row -> [PollutedFile] in
      func with(_ kind: PollutedFile.Kind, _ what: String, _ line: String, moved: Int = 0) -> PollutedFile {
        var changed = lines
        changed[row] = line
        var file = table.file(kind, "\(what), row \(row)", damaged: [row - 1])
        file.bytes = Array((changed.joined(separator: "\n") + "\n").utf8)
        for other in file.lines.indices where moved > 0 && other >= row {
          file.lines[other] = file.lines[other].lowerBound + moved...file.lines[other].upperBound + moved
        }
        return file
      }
      let line = lines[row]
      return [";", "\t", "|"].map {
        with(.otherSeparator, $0 == "\t" ? "tab" : $0, cells[row].joined(separator: $0))
      } + [
        with(.extraSeparator, "at the end", line + ","), with(.emptyLine, "one", line + "\n", moved: 1),
        with(.emptyLine, "three, one of blanks", line + "\n\n  \n", moved: 3),
        with(.recordEnd, "CRLF", line + "\r"), with(.extraSeparator, "three at the end", line + ",,,"),
        with(.otherSeparator, "two commas", cells[row].joined(separator: ",,")),
        with(.unquotedSeparator, "a remark behind the row", line + ", see above"),
        with(.nullByte, "at the end", line + "\0"),
      ]
    }
  }
}
