/// A line of a text that cannot be read as it is, and the reason.
struct LineFault: Equatable {
  var line: Int
  var reason: String
}

/// The faults of the lines of a file that were read and not used yet, by their lines.
struct LineFaults {
  private var reasons: [Int: String] = [:]
  /// The last offset whose line was counted.
  private var counted = (offset: 0, line: 1)

  var isEmpty: Bool { reasons.isEmpty }
  var first: LineFault? { reasons.min { $0.key < $1.key }.map { LineFault(line: $0.key, reason: $0.value) } }

  /// The first fault of a line counts.
  mutating func add(_ faults: [LineFault]) {
    for fault in faults where reasons[fault.line] == nil { reasons[fault.line] = fault.reason }
  }

  /// Takes the first fault of these lines, and forgets those of earlier lines.
  mutating func take(_ lines: ClosedRange<Int>) -> String? {
    let found = reasons.filter { lines.contains($0.key) }.min { $0.key < $1.key }?.value
    reasons = reasons.filter { $0.key > lines.upperBound }
    return found
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
