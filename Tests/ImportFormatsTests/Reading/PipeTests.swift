import Glibc
import HostLoop
import ImportFormats
import TaskAPI
import TestSupport
import Testing

/// Tests of sources that another process writes while they are read.
@HostActor @Suite struct PipeTests {
  /// A pipe by name, with its end for writing open.
  private final class NamedPipe {
    let path: String
    private let folder: TemporaryFolder
    private var descriptor: Int32

    init(_ name: String) {
      folder = TemporaryFolder()
      path = folder.path(name)
      precondition(mkfifo(path, 0o600) == 0, "mkfifo failed: errno \(errno)")
      // The pipe is opened for reading and writing, so opening does not wait.
      descriptor = open(path, O_RDWR | O_CLOEXEC)
      precondition(descriptor >= 0, "open failed: errno \(errno)")
    }

    func write(_ text: String) {
      let count = Glibc.write(descriptor, text, text.utf8.count)
      precondition(count == text.utf8.count, "write failed: errno \(errno)")
    }

    func end() {
      close(descriptor)
      descriptor = -1
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
  }

  /// The loop must not stand still: requests are under way while the next row is waited for.
  @Test(arguments: [
    ("tasks.csv", "Text,Due\nMilk,\n", "Bread,\nEg", "gs,\n"), ("tasks.txt", "Milk\n", "Bread\nEg", "gs\n"),
    ("tasks.tsv", "Text\nMilk\n", "\n\nBread\nEg", "gs\n"),
  ])
  func othersGoOn(name: String, first: String, second: String, third: String) async throws {
    let pipe = NamedPipe(name)
    pipe.write(first)
    let source = try FileRowSource(RecordReaders.open(path: pipe.path))
    #expect(source.totalBytes == nil)
    func text() async throws -> String? {
      guard let record = try await source.next(), case .task(let draft) = try await source.draft(of: record)
      else { return nil }
      return draft.text
    }
    #expect(try await text() == "Milk")
    let waiting = HostActor.task { try await text() }
    try await HostLoop.shared.sleep(seconds: 0.01)
    pipe.write(second)
    #expect(try await waiting.value == "Bread")
    let last = HostActor.task { try await text() }
    try await HostLoop.shared.sleep(seconds: 0.01)
    pipe.write(third)
    #expect(try await last.value == "Eggs")
    let end = HostActor.task { try await text() }
    try await HostLoop.shared.sleep(seconds: 0.01)
    pipe.end()
    #expect(try await end.value == nil)
  }

  @Test func waitingCanBeCanceled() async throws {
    let pipe = NamedPipe("tasks.txt")
    pipe.write("Milk\n")
    let source = try FileRowSource(RecordReaders.open(path: pipe.path))
    #expect(try await source.next()?.number == 1)
    let waiting = HostActor.task { try await source.next() }
    try await HostLoop.shared.sleep(seconds: 0.01)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }
}
