final class CSVScanner {
  /// The bytes of a batch of rows; a longer row is a batch of its own.
  private static let batchSize = 64 << 10

  /// The header of the rows that are found from then on.
  var header = CSVHeader.none
  /// The number of fields that a row should have; 0 for the header itself.
  var width: Int { header.names.count }
  /// The usual look of the rows; nil for the header.
  var habits: RowHabits?
  let buffer: FileBuffer
  let dialect: CSVDialect
  var line: Int

  private var batch: CSVBatch?
  /// The row that is passed over: one that is too long, or the first line of a broken one.
  var skipped: SkippedRow?
  /// Set behind the line of a broken row: the next line is a row only if it looks like one.
  var recovery: Recovery?
  /// True if the batch ends the file without a line break.
  private var endsWithoutLineBreak = false
  private var index = 0
  /// Memory that is reused for each batch.
  private var memory = (rows: ContiguousArray<CSVExtent>(), fields: ContiguousArray<CSVField>())
  /// The offset of the batch in the file, and the number of bytes of the file that have been handed out.
  private var offsets = (batch: 0, handedOut: 0)

  /// - Parameter line: that of the buffer's next byte.
  init(_ buffer: FileBuffer, dialect: CSVDialect, line: Int = 1) {
    self.buffer = buffer
    self.line = line
    self.dialect = dialect
  }

  /// The bytes of the file on disk that have been handed out.
  var bytesRead: Int { buffer.isDirect ? offsets.handedOut : buffer.bytesRead }

  /// The next row that is not an empty line; nil at the end of the file.
  func next() throws(ImportError) -> CSVRow? {
    while true {
      if let batch, index < batch.count {
        if index + 1 == batch.count, endsWithoutLineBreak { try buffer.confirmEnd() }
        return take(batch)
      }
      batch = nil
      guard try readBatch(mostRows: habits?.isComplete == false ? 1 : .max) else {
        try buffer.confirmEnd()
        offsets.handedOut = buffer.consumed
        return nil
      }
    }
  }

  /// The first row, whose fields are the columns of the others.
  func nextHeader() throws(ImportError) -> CSVRow? {
    guard try readBatch(mostRows: 1), let batch else { return nil }
    return take(batch)
  }

  /// True if `next` has thrown an error for one row alone, which `skip` passes over.
  var isSkipping: Bool { skipped != nil }

  /// Passes over the row for which `next` has thrown an error. It can be called again after the buffer had no data.
  /// - Parameter isHeader: true for a row that ends the reading if it is long: nobody needs its end, which may be far.
  func skip(isHeader: Bool = false) throws(ImportError) -> SkippedRow {
    var row = skipped ?? SkippedRow(line: line, reason: "")
    while true {
      var window = buffer.window
      // The line feed of a CRLF comes with the next bytes.
      if !buffer.isAtEnd, window.last == UInt8(ascii: "\r") {
        window = UnsafeRawBufferPointer(rebasing: window.dropLast())
      }
      let end = row.take(window, isLast: buffer.isAtEnd)
      buffer.consume(end ?? window.count)
      offsets.handedOut = buffer.consumed
      if end != nil || isHeader && row.isLong {
        skipped = nil
        line = row.line + row.lineBreaks + 1
        return row
      }
      skipped = row
      try buffer.fill(line: row.line)
    }
  }

  @inline(__always)
  private func take(_ batch: CSVBatch) -> CSVRow {
    let extent = batch.row(index)
    index += 1
    offsets.handedOut = offsets.batch + extent.end
    let row = CSVRow(batch, extent)
    if let habits, !habits.isComplete { habits.learn(row) }
    return row
  }

  /// Reads from one to `mostRows` rows; false at the end of the file.
  private func readBatch(mostRows: Int) throws(ImportError) -> Bool {
    while true {
      if buffer.window.isEmpty {
        if buffer.isAtEnd { return false }
        try refill()
        continue
      }
      // The memory of the last batch's fields is reused.
      var fields: ContiguousArray<CSVField> = []
      swap(&fields, &memory.fields)
      var cursor = CSVCursor(
        buffer.window, isLast: buffer.isAtEnd, isSheet: buffer.isSheet, dialect: dialect, line: line,
        fields: consume fields)
      let (rows, problem) = scan(&cursor, mostRows: mostRows)
      if let last = rows.last {
        keep(rows, to: last.end, cursor)
        return true
      }
      // Empty lines may be before the mistake.
      advance(cursor)
      if let problem { throw skip(problem) }
      if !buffer.isAtEnd { try refill() }
    }
  }

  /// Finds rows until there are enough, and the mistake in the row behind them.
  private func scan(_ cursor: inout CSVCursor, mostRows: Int) -> (ContiguousArray<CSVExtent>, CSVCursor.Problem?) {
    var rows = ContiguousArray<CSVExtent>()
    swap(&rows, &memory.rows)
    let (isSheet, width, size) = (buffer.isSheet, width, buffer.window.count)
    rows.removeAll(keepingCapacity: true)
    let end = min(Self.batchSize, size)
    while rows.count < mostRows, cursor.position < end {
      let mark = cursor.mark
      do {
        switch try cursor.next() {
        case .row:
          if isSheet {
            cursor.pad(mark.fields, to: width)
          } else if dialect.isPadded {
            cursor.strip(mark.fields, dialect)
          }
          let row = CSVExtent(
            first: mark.fields, count: cursor.fields.count - mark.fields, line: mark.line, end: cursor.position)
          // The last row may have no line break.
          let isLong = !isSheet && cursor.line > mark.line + (cursor.position < size ? 1 : 0)
          if isLong || recovery != nil {
            let text = UnsafeRawBufferPointer(rebasing: buffer.window[mark.position..<row.end])
            if let problem = doubt(row, text, isLong: isLong, quotes: cursor.quotes - mark.quotes) {
              cursor.back(to: mark)
              return (rows, problem)
            }
            recovery = nil
          }
          rows.append(row)
        case .emptyLine: continue
        case .incomplete: return (rows, nil)
        }
      } catch { return (rows, error) }
    }
    return (rows, nil)
  }

  private func keep(_ rows: ContiguousArray<CSVExtent>, to end: Int, _ cursor: consuming CSVCursor) {
    batch = CSVBatch(
      UnsafeRawBufferPointer(rebasing: buffer.window[..<end]), rows: rows, fields: cursor.fields,
      escaped: cursor.escaped, quotes: cursor.quotes, dialect: dialect, header: header, isSheet: buffer.isSheet,
      mayHaveFaults: buffer.hasFaults)
    memory.rows = rows
    index = 0
    let last = buffer.window[end - 1]
    endsWithoutLineBreak = end == buffer.window.count && last != UInt8(ascii: "\n") && last != UInt8(ascii: "\r")
    offsets.batch = buffer.consumed
    advance(cursor)
  }

  private func advance(_ cursor: consuming CSVCursor) {
    buffer.consume(cursor.position)
    line = cursor.line
    memory.fields = cursor.fields
  }

  private func refill() throws(ImportError) {
    do { try buffer.fill(line: line) } catch {
      if error.kind == .rowTooLong {
        // So many rows are in the row that its quote is one too many.
        if lines(of: buffer.window, most: 100).isSwallowing { throw skip(.unclosedQuote(line: line)) }
        skipped = SkippedRow(line: line, reason: buffer.lengthReason("row"), dialect: dialect)
      }
      throw error
    }
  }
}
