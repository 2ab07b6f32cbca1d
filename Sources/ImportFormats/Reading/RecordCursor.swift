import Glibc
package import HostLoop

/// Reads records without blocking the loop while a pipe has no data.
@HostActor
package struct RecordCursor {
  private let reader: any RecordReader
  /// The reader's buffer, if it reads a pipe.
  private let buffer: FileBuffer?

  package init(_ reader: any RecordReader) {
    self.reader = reader
    let buffer = (reader as? PreviewedReader)?.buffer ?? (reader as? any BufferedReader)?.buffer
    self.buffer = buffer?.pipe == nil ? nil : buffer
  }

  /// The reader's next record; nil at the end.
  package func next() async throws -> SourceRecord? {
    guard let buffer, let pipe = buffer.pipe else { return try reader.next() }
    while true {
      buffer.waits = false
      defer { buffer.waits = true }
      do { return try reader.next() } catch { guard error.kind == .wouldBlock else { throw error } }
      try await Self.wait(for: pipe)
    }
  }

  /// Waits on another thread until the pipe has data, or has ended.
  private static func wait(for pipe: Int32) async throws {
    let wait = CancellableWait<Void>()
    let thread = SystemThread.start {
      poll(pipe)
      HostActor.task { wait.finish(.success(())) }
    }
    // Without a thread it blocks the loop.
    if thread == nil { poll(pipe) } else { try await wait.value() }
  }

  private nonisolated static func poll(_ pipe: Int32) {
    var status = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
    // Other errors come again from reading.
    while Glibc.poll(&status, 1, -1) < 0, errno == EINTR {}
  }
}
