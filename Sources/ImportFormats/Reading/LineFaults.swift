/// A line of a text that cannot be read as it is, and the reason.
struct LineFault: Equatable {
  var line: Int
  var reason: String
}

/// The faults of the lines of a file that were read and not used yet, in the order of their lines.
struct LineFaults {
  private var faults: ArraySlice<LineFault> = []
  /// The last offset whose line was counted.
  private var counted = (offset: 0, line: 1)

  var isEmpty: Bool { faults.isEmpty }
  var first: LineFault? { faults.first }

  /// The first fault of a line counts.
  mutating func add(_ others: [LineFault]) {
    for fault in others {
      let place = faults.lastIndex { $0.line <= fault.line }
      if let place, faults[place].line == fault.line { continue }
      faults.insert(fault, at: place.map { $0 + 1 } ?? faults.startIndex)
    }
  }

  /// Takes the first fault of these lines, and forgets those of earlier lines.
  mutating func take(_ lines: ClosedRange<Int>) -> String? {
    let passed = faults.prefix { $0.line <= lines.upperBound }
    guard !passed.isEmpty else { return nil }
    faults = faults[passed.endIndex...]
    return passed.first { $0.line >= lines.lowerBound }?.reason
  }

  /// The line of an offset in the text.
  /// - Parameters:
  ///   - start: the offset of the window.
  ///   - first: the line of the window.
  mutating func line(of offset: Int, from start: Int, line first: Int, _ window: UnsafeRawBufferPointer) -> Int {
    // Many faults in a window do not count its lines again each time.
    if counted.offset < start || counted.offset > offset { counted = (start, first) }
    let between = UnsafeRawBufferPointer(rebasing: window[(counted.offset - start)..<(offset - start)])
    counted = (offset, counted.line + lineBreaks(in: between))
    return counted.line
  }
}
