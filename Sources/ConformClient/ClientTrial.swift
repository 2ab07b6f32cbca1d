import Core
import Files
import HTTPClient
package import HostLoop
import JSON
import LocalTenant

/// Runs the program under test against a new tenant.
@HostActor
package struct ClientTrial {
  private static let pause = 0.01
  /// Seconds between the result in the output and the end: the program may use the tokens.
  private static let afterResult = 0.15

  package let settings: ProgramSettings
  package let keys: TenantKeys
  let http: HTTPClient

  package init(_ settings: ProgramSettings) throws {
    self.settings = settings
    keys = try TenantKeys()
    http = HTTPClient(
      HTTPClientConfiguration(caFile: settings.certificate?.path, userAgent: "Mozilla/5.0 (b2c-run conform)"))
  }

  private var kind: TenantKind { settings.tenant.isB2C ? .b2c : .externalID }

  /// Starts the program, signs the user in, and ends the program.
  /// - Parameter quiet: the seconds without any event after which the program is stopped; nil to wait for its time limit.
  package func run(_ lie: Lie, quiet: Double?) async throws -> ClientRun {
    let folder = try TemporaryPlace.makeFolder("b2c-run-conform-")
    defer { TemporaryPlace.remove(folder) }
    let tenant = try LyingTenant(
      lie, keys: keys, kind: kind, tls: settings.certificate?.identity, isMCP: settings.tenant.isMCP)
    defer { tenant.tenant.stop() }
    let start = HostLoop.uptime
    let stage = try Stage(settings, tenant, folder, http, lie)
    let process = try stage.program.start()
    var run: ClientRun
    do {
      run = try await stage.play(process, quiet: quiet)
      try await process.stop()
    } catch {
      try await process.stop()
      throw error
    }
    run.exchanges = tenant.exchanges
    run.output = process.output
    run.duration = HostLoop.uptime - start
    run.isSuccess = settings.isSuccess(run)
    return run
  }

  /// The program and the browser of one run.
  @HostActor
  private final class Stage {
    let settings: ProgramSettings
    let tenant: LyingTenant
    let program: ProgramStage
    let browser: TenantBrowser
    var run = ClientRun()
    private var isBrowsing = false

    init(_ settings: ProgramSettings, _ tenant: LyingTenant, _ folder: String, _ http: HTTPClient, _ lie: Lie) throws {
      self.settings = settings
      self.tenant = tenant
      program = try ProgramStage(settings, tenant, folder)
      browser = TenantBrowser(
        http, tenant: tenant.tenant.url,
        userCode: { tenant.exchanges.last { $0.part == .device }?.json?["user_code"]?.string },
        asksBefore: lie.asksBefore)
    }

    func play(_ process: ProgramProcess, quiet: Double?) async throws -> ClientRun {
      let start = HostLoop.uptime
      var seen = (length: 0, exchanges: 0, time: start)
      var resultTime: Double?
      var browsing: Task<Void, any Error>?
      defer { browsing?.cancel() }
      while true {
        try await HostLoop.shared.sleep(seconds: ClientTrial.pause)
        let now = HostLoop.uptime
        let isOver = process.isOver
        let output = process.output
        let count = tenant.exchanges.count
        if output.utf8.count != seen.length || count != seen.exchanges || isBrowsing {
          seen = (output.utf8.count, count, now)
        }
        if !isBrowsing, let url = try nextAddress(output, now - start, process) {
          isBrowsing = true
          run.opened.append(url)
          browsing = HostActor.task { [self] in await browse(url) }
        }
        let hasVisited = settings.visit != nil && !run.opened.isEmpty && !isBrowsing
        if resultTime == nil, settings.hasResult(output) || hasVisited { resultTime = now }
        if isOver, !isBrowsing || settings.visit == nil {
          // The answer to the browser may still be on its way.
          if isBrowsing, now - seen.time < 0.05 { continue }
          run.ending = .ended(process.end ?? .status(-1))
          break
        }
        if let resultTime, now - resultTime > ClientTrial.afterResult {
          run.ending = settings.visit == nil ? .settled : .stays
          break
        }
        if let quiet, now - seen.time > quiet {
          run.ending = .quiet(quiet)
          break
        }
        if now - start > settings.timeout {
          run.ending = .timeout(settings.timeout)
          break
        }
      }
      run.callbacks = browser.visited
      return run
    }

    /// The next address that the browser is to open; nil for none.
    private func nextAddress(_ output: String, _ age: Double, _ process: ProgramProcess) throws -> String? {
      if let url = try program.desk.takeAddresses().first { return url }
      if settings.output.hasURL, let url = Self.url(in: output, not: run.opened) { return url }
      guard let visit = settings.visit, run.opened.isEmpty else { return nil }
      // Without a pattern the browser tries until the port is open.
      guard settings.output.ready.map({ $0.matches(output) }) ?? (age > 0.2) else { return nil }
      return program.values.fill(visit)
    }

    /// The first address in the output, which ends at a space or a quote.
    private static func url(in output: String, not opened: [String]) -> String? {
      let words = output.split { $0.isWhitespace || $0 == "\"" || $0 == "'" || $0 == "<" || $0 == ">" }
      return words.lazy.compactMap { word -> String? in
        guard let start = word.firstRange(of: "http")?.lowerBound else { return nil }
        let url = String(word[start...])
        guard url.hasPrefix("http://") || url.hasPrefix("https://"), url.contains("?") || url.hasSuffix("/device")
        else { return nil }
        return opened.contains(url) ? nil : url
      }.first
    }

    private func browse(_ url: String) async {
      defer { isBrowsing = false }
      let deadline = HostLoop.uptime + settings.timeout
      while true {
        do {
          let page = try await browser.open(url, timeout: max(1, deadline - HostLoop.uptime))
          run.page = (page.url, page.status, page.text)
          return
        } catch let error as HTTPError where settings.visit != nil && run.page == nil && HostLoop.uptime < deadline {
          // The application is not up yet.
          run.browserProblem = error.message
          if (try? await HostLoop.shared.sleep(seconds: 0.05)) == nil { return }
        } catch {
          run.browserProblem = (error as? TenantBrowser.Problem)?.text ?? (error as? any Failure)?.message ?? "\(error)"
          return
        }
      }
    }
  }
}

extension ProgramSettings {
  /// True if the output says how the sign-in ended.
  func hasResult(_ output: String) -> Bool {
    visit == nil && (self.output.success?.matches(output) == true || self.output.failure?.matches(output) == true)
  }

  /// True if the run ended as one that worked.
  func isSuccess(_ run: ClientRun) -> Bool {
    let text = run.output + (run.page.map { "\n\($0.text)" } ?? "")
    if output.failure?.matches(text) == true { return false }
    if let success = output.success { return success.matches(text) }
    if visit != nil { return run.page.map { $0.status < 400 && !run.isAtTenant($0.url) } ?? false }
    return run.ending == .ended(.status(0))
  }
}

extension ClientRun {
  /// True if the address is the tenant's, where a sign-in that went wrong ends.
  fileprivate func isAtTenant(_ url: String) -> Bool { url.contains("/contoso.onmicrosoft.com/") }
}
