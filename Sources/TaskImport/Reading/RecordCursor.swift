import Glibc
package import HostLoop

/// Reads records without holding up the loop: while a pipe has nothing to read, other things go on.
@HostActor
package struct RecordCursor {
  private let reader: any RecordReader
  /// The reader's buffer, if it reads a pipe.
  private let buffer: FileBuffer?

  package init(_ reader: any RecordReader) {
    self.reader = reader
    let buffer = (reader as? any BufferedReader)?.buffer
    self.buffer = buffer?.pipe == nil ? nil : buffer
  }

  /// The reader's next record; nil at the end.
  package func next() async throws -> SourceRecord? {
    guard let buffer, let pipe = buffer.pipe else { return try reader.next() }
    while true {
      buffer.waits = false
      defer { buffer.waits = true }
      do { return try reader.next() } catch { guard error.kind == .wouldBlock else { throw error } }
      try await PipeWait(pipe).value()
    }
  }
}

/// Waits for a pipe on a thread of its own.
@HostActor
private final class PipeWait {
  private let pipe: Int32
  private let wait = CancellableWait<Void>()

  init(_ pipe: Int32) { self.pipe = pipe }

  /// Returns when there is something to read, or the end.
  func value() async throws {
    let isStarted = SystemThread.start {
      self.poll(milliseconds: -1)
      HostActor.task { self.wait.finish(.success(())) }
    }
    // Without a thread it waits where it reads, which is slower for the others.
    if isStarted == nil { poll(milliseconds: -1) } else { try await wait.value() }
  }

  private nonisolated func poll(milliseconds: Int32) {
    var status = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
    // An interruption is no news; what else can go wrong, reading will tell.
    while Glibc.poll(&status, 1, milliseconds) < 0, errno == EINTR {}
  }
}
