import Foundation
import HTTPClient
package import HostLoop
package import JSON

/// A real browser without a window, driven by the W3C WebDriver protocol through chromedriver.
@HostActor
package final class WebBrowser {
  package struct Failed: Error, CustomStringConvertible {
    package let description: String
  }

  private let driver = Process()
  private let folder: URL
  private var port = ""
  package private(set) var session = ""

  package init() async throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "b2c-run-chromium-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Its output is buffered, and tells the port too late.
    let log = folder.appending(path: "log")
    driver.executableURL = URL(filePath: "/usr/bin/chromedriver")
    driver.arguments = ["--port=0", "--log-path=\(log.path)"]
    driver.environment = ["HOME": folder.path, "PATH": "/usr/bin:/bin", "TMPDIR": folder.path]
    driver.standardOutput = FileHandle.nullDevice
    driver.standardError = FileHandle.nullDevice
    try driver.run()
    for _ in 0..<1500 where port.isEmpty {
      let said = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
      if let found = said.firstMatch(of: #/started successfully on port (\d+)\s/#) { port = String(found.1) }
      try await Task.sleep(for: .milliseconds(20))
    }
    let options: JSON = [
      "args": [
        "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run",
        .string("--user-data-dir=\(folder.path)/profile"),
      ]
    ]
    do {
      let answer = try await send(
        "POST", "/session",
        [
          "capabilities": [
            "alwaysMatch": ["goog:chromeOptions": options, "timeouts": ["implicit": 20_000, "pageLoad": 30_000]]
          ]
        ])
      session = "/session/\(answer["sessionId"]?.string ?? "")"
    } catch {
      // The driver would outlive the tests.
      endDriver()
      throw error
    }
  }

  /// Runs `body` with a browser of its own. The browser ends even if `body` throws.
  package static func with(_ body: @HostActor (WebBrowser) async throws -> Void) async throws {
    let browser = try await WebBrowser()
    do { try await body(browser) } catch {
      await browser.quit()
      throw error
    }
    await browser.quit()
  }

  /// Ends the browser and its driver.
  private func quit() async {
    _ = try? await send("DELETE", session)
    endDriver()
  }

  private func endDriver() {
    // It inherits blocked signals from the threads of the tests, SIGTERM among them.
    kill(driver.processIdentifier, SIGKILL)
    driver.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }

  package func open(_ url: String) async throws { _ = try await send("POST", "\(session)/url", ["url": .string(url)]) }

  /// Replaces the content of the field.
  package func fill(_ selector: String, _ text: String) async throws {
    try await onElement(selector) { element in
      try await self.send("POST", "\(element)/clear", [:])
      try await self.send("POST", "\(element)/value", ["text": .string(text)])
    }
  }

  package func click(_ selector: String) async throws {
    try await onElement(selector) { try await self.send("POST", "\($0)/click", [:]) }
  }

  /// Clicks a link or button that leads to another page, and waits until the browser shows the page.
  package func leave(by selector: String) async throws {
    _ = try await evaluate("window.isLeft = true")
    try await click(selector)
    for _ in 0..<600 {
      if try await evaluate("window.isLeft === true && document.readyState").bool == false { return }
      try await HostLoop.shared.sleep(seconds: 0.1)
    }
    throw Failed(description: "a click on \(selector) leads to no other page")
  }

  /// The visible text of the first element that there is, waiting for it.
  package func text(_ selector: String) async throws -> String {
    try await onElement(selector) { try await self.send("GET", "\($0)/text").string ?? "" }
  }

  /// Presses a key, by its name in UI Events, on the element with the focus.
  package func press(_ key: String) async throws {
    let code = [
      "Escape": "\u{E00C}", "Enter": "\u{E007}", "ArrowDown": "\u{E015}", "ArrowUp": "\u{E013}", "End": "\u{E010}",
      "Home": "\u{E011}", "ArrowLeft": "\u{E012}", "ArrowRight": "\u{E014}",
    ]
    let actions = ["keyDown", "keyUp"].map { JSON.object(["type": .string($0), "value": .string(code[key] ?? key)]) }
    let keyboard: JSON = ["type": "key", "id": "keyboard", "actions": .array(actions)]
    try await send("POST", "\(session)/actions", ["actions": .array([keyboard])])
  }

  /// The value of an expression of JavaScript in the page.
  package func evaluate(_ expression: String) async throws -> JSON {
    try await send("POST", "\(session)/execute/sync", ["script": .string("return \(expression)"), "args": []])
  }

  /// Waits for the element; once more when its page is left in the middle of it.
  @discardableResult
  private func onElement<Value>(
    _ selector: String, _ action: @HostActor (_ element: String) async throws -> Value
  ) async throws -> Value {
    for _ in 0..<10 {
      do { return try await action(try await find(selector)) } catch let error as Failed
        where error.description.contains("stale element")
      {
        continue
      }
    }
    throw Failed(description: "the page with \(selector) does not stay")
  }

  /// The address in the bar.
  package func address() async throws -> String { try await send("GET", "\(session)/url").string ?? "" }

  private func find(_ selector: String) async throws -> String {
    let found = try await send(
      "POST", "\(session)/element", ["using": "css selector", "value": .string(selector)])
    guard let id = found["element-6066-11e4-a52e-4f735466cecf"]?.string else {
      throw Failed(description: "no element \(selector)")
    }
    return "\(session)/element/\(id)"
  }

  /// A command of the protocol, and the value of its answer.
  @discardableResult
  package func send(_ method: String, _ path: String, _ body: JSON? = nil) async throws -> JSON {
    let response = try await HTTPClient().send(
      HTTPRequest(
        method: method, url: "http://127.0.0.1:\(port)\(path)", headers: ["Content-Type": "application/json"],
        body: body.map { Array($0.encoded().utf8) }, timeout: 60))
    let value = try JSON(parsing: response.body)["value"] ?? .null
    guard response.status == 200 else {
      throw Failed(description: "\(method) \(path): \(value["message"]?.string ?? response.text)")
    }
    return value
  }
}
