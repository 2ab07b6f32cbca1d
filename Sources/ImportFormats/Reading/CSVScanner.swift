final class CSVScanner {
  /// The bytes of a batch of rows; a longer row is a batch of its own.
  private static let batchSize = 64 << 10

  /// The header of the rows that are found from then on.
  var header = CSVHeader.none
  private let buffer: FileBuffer
  private let separator: UInt8
  private let isSheet: Bool
  private var line: Int

  private var batch: CSVBatch?
  /// The row that is too long and is passed over.
  private var overlong: OverlongRow?
  /// True if the batch ends the file without a line break.
  private var endsWithoutLineBreak = false
  private var index = 0
  /// Memory that is reused for each batch.
  private var rows: ContiguousArray<CSVExtent> = []
  private var fields: ContiguousArray<CSVField> = []
  /// The offset of the batch in the file, and the number of bytes of the file that have been handed out.
  private var offsets = (batch: 0, handedOut: 0)

  /// - Parameter line: that of the buffer's next byte.
  init(_ buffer: FileBuffer, separator: UInt8, line: Int = 1) {
    self.buffer = buffer
    self.line = line
    self.separator = separator
    isSheet = buffer.isSheet
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
      guard try readBatch(mostRows: .max) else {
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

  /// True if the end of a row that is too long has not been found yet.
  var isSkipping: Bool { overlong != nil }

  /// Passes over the row for which `next` has thrown `row_too_long`. It can be called again after the buffer had no data.
  func skip() throws(ImportError) -> OverlongRow {
    var row = overlong ?? OverlongRow(line: line, reason: buffer.lengthReason("row"), separator: separator)
    while true {
      let window = buffer.window
      let end = row.take(window, isLast: buffer.isAtEnd)
      buffer.consume(end ?? window.count)
      offsets.handedOut = buffer.consumed
      if end != nil {
        overlong = nil
        // Without its end, nobody knows where the next row begins.
        if let quote = row.openQuoteLine { throw failure(.unclosedQuote(line: quote), reach: Self.longestReach) }
        line = row.line + row.lineBreaks + 1
        return row
      }
      overlong = row
      try buffer.fill(line: row.line)
    }
  }

  private static let longestReach = " within \(FileBuffer.maximumRowSize >> 20) MiB"

  @inline(__always)
  private func take(_ batch: CSVBatch) -> CSVRow {
    let extent = batch.row(index)
    index += 1
    offsets.handedOut = offsets.batch + extent.end
    return CSVRow(batch, extent)
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
      swap(&fields, &self.fields)
      var cursor = CSVCursor(
        buffer.window, isLast: buffer.isAtEnd, isSheet: isSheet, separator: separator, line: line,
        fields: consume fields)
      let (rows, problem) = scan(&cursor, mostRows: mostRows)
      if let last = rows.last {
        keep(rows, to: last.end, cursor)
        return true
      }
      // Empty lines may be before the mistake.
      advance(cursor)
      if let problem {
        let error = failure(problem, reach: "")
        if error.kind == .rowTooLong {
          let reason = "this row has more than \(CSVCursor.mostFields) fields"
          overlong = OverlongRow(line: line, reason: reason, separator: separator)
        }
        throw error
      }
      if !buffer.isAtEnd { try refill() }
    }
  }

  /// Finds rows until there are enough, and the mistake in the row behind them.
  private func scan(_ cursor: inout CSVCursor, mostRows: Int) -> (ContiguousArray<CSVExtent>, CSVCursor.Problem?) {
    var rows = ContiguousArray<CSVExtent>()
    swap(&rows, &self.rows)
    rows.removeAll(keepingCapacity: true)
    let end = min(Self.batchSize, buffer.window.count)
    while rows.count < mostRows, cursor.position < end {
      let (line, first) = (cursor.line, cursor.fields.count)
      do {
        switch try cursor.next() {
        case .row:
          if isSheet { cursor.pad(first, to: header.names.count) }
          rows.append(CSVExtent(first: first, count: cursor.fields.count - first, line: line, end: cursor.position))
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
      escaped: cursor.escaped, header: header, isSheet: isSheet)
    self.rows = rows
    index = 0
    let last = buffer.window[end - 1]
    endsWithoutLineBreak = end == buffer.window.count && last != UInt8(ascii: "\n") && last != UInt8(ascii: "\r")
    offsets.batch = buffer.consumed
    advance(cursor)
  }

  private func advance(_ cursor: consuming CSVCursor) {
    buffer.consume(cursor.position)
    line = cursor.line
    fields = cursor.fields
  }

  private func refill() throws(ImportError) {
    do { try buffer.fill(line: line) } catch {
      if error.kind == .rowTooLong {
        overlong = OverlongRow(line: line, reason: buffer.lengthReason("row"), separator: separator)
      }
      throw error
    }
  }

  private func failure(_ problem: CSVCursor.Problem, reach: String) -> ImportError {
    switch problem {
    case .unclosedQuote(let line):
      ImportError(
        kind: .unclosedQuote,
        message: "\(buffer.name):\(line): the quote that opens a field here is never closed\(reach)",
        hint: "a quote inside a quoted field is written twice", line: line)
    case .misplacedQuote(let line, let field):
      ImportError(
        kind: .misplacedQuote, message: "\(buffer.name):\(line): field \(field) continues after its closing quote",
        hint: "a quote inside a quoted field is written twice", line: line)
    case .tooManyFields(let line):
      ImportError(
        kind: .rowTooLong, message: "\(buffer.name):\(line): this row has more than \(CSVCursor.mostFields) fields",
        hint: "is the separator right?", line: line)
    }
  }
}
