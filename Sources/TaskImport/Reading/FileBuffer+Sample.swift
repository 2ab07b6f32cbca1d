extension FileBuffer {
  /// The beginning of the text, `size` bytes of it or more if there are as many. Of a pipe, so many lines do: whoever
  /// writes to it may wait for what becomes of them. Where less can be read than there is, what could be.
  func sample(_ size: Int, lines: Int = 2) throws(ImportError) -> UnsafeRawBufferPointer {
    while window.count < size, !isAtEnd, totalBytes != nil || lineBreaks(in: window) < lines {
      do {
        try fill(line: 1)
      } catch {
        guard !window.isEmpty else { throw error }
        // It comes again from whoever gets there.
        break
      }
    }
    return window
  }

  /// `format`, and how it is compressed.
  func summary(_ format: String) -> String {
    compression.map { "\(format), \($0)" } ?? format
  }
}
