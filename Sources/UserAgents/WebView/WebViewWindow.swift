import Core
import Glibc
import HTTPClient
import HostLoop
import JSON

/// A running `b2c-webview`. WebView/pipe.h in the sources tells what is said over its pipe.
@HostActor
final class WebViewWindow {
  /// How long a window that is to end has for it.
  private static let secondsToFinish = 5.0

  enum Event {
    case navigation(id: Int64, Navigation)
    case loaded(url: String)
    /// It is drawn, and has a title.
    case titled(TitledPage)
    /// By the person.
    case closed
    case failed(reason: String, url: String, message: String)
    case cookies([JSON])
  }

  struct Navigation {
    var url: String
    /// The address was not chosen on a page, but is where another one leads.
    var isRedirected: Bool
    /// A link was clicked, or a form submitted.
    var isByPerson: Bool
    var fields: [(String, String)]
  }

  private let pipe: LinePipe
  private let exit: ChildProcess.Exit
  private let path: String

  /// - Throws: `no_webview`.
  init(_ path: String, environment: [String: String]) throws(UserAgentError) {
    self.path = path
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw Self.notStarted(path, errno)
    }
    defer { Glibc.close(ends[1]) }
    do { exit = try ChildProcess.start(path, [], environment: environment, input: ends[1]) } catch {
      Glibc.close(ends[0])
      throw Self.notStarted(path, error.errno)
    }
    pipe = LinePipe(ends[0])
  }

  private static func notStarted(_ path: String, _ errno: Int32) -> UserAgentError {
    UserAgentError(
      .noWebView, "the window cannot be opened: \(path) cannot be run: \(String(cString: strerror(errno)))",
      hint: "run make webview again, or use the agent \"system\"")
  }

  func send(_ message: JSON) { pipe.send(message.encoded()) }

  /// - Throws: `webview_failed`, when the program is gone.
  func next() async throws -> Event {
    guard let line = try await pipe.next() else { throw await ended() }
    guard let message = try? JSON(parsing: line, maximumDepth: 8), let event = Event(message) else {
      throw UserAgentError(
        .webViewFailed, "the window said something that is not understood: \(path) belongs to another version",
        hint: "run make webview again")
    }
    return event
  }

  /// The cookies at the end; nil from a window that has not got the time, or is gone.
  func finish() async throws -> [JSON]? {
    send(["type": "finish"])
    let cookies = try await TimeLimit.run(seconds: Self.secondsToFinish) { () -> [JSON]? in
      while let line = try await self.pipe.next() {
        if let message = try? JSON(parsing: line, maximumDepth: 8), case .cookies(let cookies)? = Event(message) {
          return cookies
        }
      }
      return nil
    }
    return cookies ?? nil
  }

  /// The program ends by itself when its pipe does.
  func close() { pipe.close() }

  private func ended() async -> UserAgentError {
    close()
    let status = (try? await TimeLimit.run(seconds: Self.secondsToFinish) { [exit] in try await exit.value() }) ?? nil
    var how = "\(path) ended"
    if let status { how += status > 128 ? " by signal \(status - 128)" : " with status \(status)" }
    return UserAgentError(
      .webViewFailed, "the window is gone: \(how)",
      hint: "sign in again; if it ends at once, run make webview again, or use the agent \"system\"")
  }
}

extension WebViewWindow.Event {
  init?(_ message: JSON) {
    let url = message["url"]?.string ?? ""
    switch message["type"]?.string {
    case "navigation":
      guard let id = message["id"]?.lenientInteger else { return nil }
      let fields = (message["fields"]?.array ?? []).compactMap { field -> (String, String)? in
        guard let pair = field.array, pair.count == 2, let name = pair[0].string, let value = pair[1].string else {
          return nil
        }
        return (name, value)
      }
      self = .navigation(
        id: id,
        .init(
          url: url, isRedirected: message["redirected"]?.bool ?? false, isByPerson: message["by_person"]?.bool ?? false,
          fields: fields))
    case "loaded": self = .loaded(url: url)
    case "titled":
      let status = Int(clamping: message["status"]?.lenientInteger ?? 0)
      self = .titled(TitledPage(url: url, title: message["title"]?.string ?? "", status: status))
    case "closed": self = .closed
    case "failed":
      self = .failed(reason: message["reason"]?.string ?? "", url: url, message: message["message"]?.string ?? "")
    case "cookies": self = .cookies(message["cookies"]?.array ?? [])
    default: return nil
    }
  }
}

/// Lines to and from a program, over a pair of sockets that nobody else has.
@HostActor
final class LinePipe: DescriptorHandler {
  /// Longer ones, and more of them than somebody reads, break the pipe: what is on the other side draws pages from anywhere.
  static let longestLine = 4 << 20
  static let mostUnread = 256

  private var descriptor: Int32
  private var bytes: [UInt8] = []
  private var lines: [[UInt8]] = []
  private var unsent: [UInt8] = []
  private var isOver = false
  private var waiting: CancellableWait<[UInt8]?>?

  /// - Parameter descriptor: a stream socket, which is closed with this pipe.
  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    HostLoop.shared.watch(descriptor, for: .read, by: self)
  }

  /// The next line, without its end; nil when the other side is gone.
  func next() async throws -> [UInt8]? {
    if !lines.isEmpty { return lines.removeFirst() }
    if isOver { return nil }
    let wait = CancellableWait<[UInt8]?>()
    waiting = wait
    return try await wait.value()
  }

  func send(_ line: String) {
    guard !isOver else { return }
    unsent += Array(line.utf8) + [UInt8(ascii: "\n")]
    flush()
  }

  func close() {
    end()
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    descriptor = -1
  }

  func ready(_ descriptor: Int32, for readiness: Readiness) {
    if readiness.contains(.write) { flush() }
    guard !isOver, !readiness.isDisjoint(with: [.read, .failure]) else { return }
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    guard count > 0 else { return end() }
    take(buffer.prefix(count))
  }

  private func take(_ new: ArraySlice<UInt8>) {
    var rest = new
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(bytes + rest[..<end])
      bytes.removeAll()
      rest = rest[(end + 1)...]
    }
    bytes += rest
    if let waiting, !lines.isEmpty {
      self.waiting = nil
      waiting.finish(.success(lines.removeFirst()))
    }
    if bytes.count > Self.longestLine || lines.count > Self.mostUnread { end() }
  }

  private func flush() {
    while !unsent.isEmpty {
      let count = Glibc.send(descriptor, unsent, unsent.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { break }
      guard count > 0 else { return end() }
      unsent.removeFirst(count)
    }
    HostLoop.shared.watch(descriptor, for: unsent.isEmpty ? .read : [.read, .write], by: self)
  }

  private func end() {
    guard !isOver else { return }
    isOver = true
    HostLoop.shared.unwatch(descriptor)
    waiting?.finish(.success(nil))
    waiting = nil
  }
}
