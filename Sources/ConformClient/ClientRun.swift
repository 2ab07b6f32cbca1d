import HTTPServer
import HostLoop

/// One sign-in of the program under test, as the tenant, the browser and the system saw it.
package struct ClientRun: Sendable {
  package enum Ending: Sendable, Equatable {
    case ended(ProgramEnd)
    /// The program had shown its result, and was stopped.
    case settled
    /// The program did nothing for some seconds, and was stopped.
    case quiet(Double)
    /// The time of the run was over.
    case timeout(Double)
    /// A web application that stays up.
    case stays

    package var text: String {
      switch self {
      case .ended(let end): end.text
      case .settled: "it showed its result"
      case .quiet(let seconds): "it did nothing more for \(Int(seconds.rounded(.up))) s, and was stopped"
      case .timeout(let seconds): "it was stopped after \(Int(seconds)) s"
      case .stays: "it stays up"
      }
    }
  }

  package var exchanges: [Exchange] = []
  package var ending = Ending.stays
  package var output = ""
  /// The addresses of the program that the browser has asked, without their queries.
  package var callbacks: [String] = []
  /// The addresses that the program has opened in the browser.
  package var opened: [String] = []
  /// The page where the browser ended.
  package var page: (url: String, status: Int, text: String)?
  /// What went wrong in the browser.
  package var browserProblem: String?
  package var duration = 0.0
  /// True if the run ended as a sign-in that worked does.
  package var isSuccess = false
}

extension ClientRun {
  /// True if a response had the lie.
  var hasLie: Bool { exchanges.contains(where: \.isLie) }
  var lie: Exchange? { exchanges.first(where: \.isLie) }

  /// The requests after the first lie.
  var afterLie: ArraySlice<Exchange> {
    exchanges.firstIndex(where: \.isLie).map { exchanges[($0 + 1)...] } ?? []
  }

  func exchanges(at part: TenantPart) -> [Exchange] { exchanges.filter { $0.part == part } }

  /// The authorization requests, in the query, in a form or pushed.
  var authorizationRequests: [Exchange] {
    (exchanges(at: .par) + exchanges(at: .authorize)).filter { $0.field("response_type") != nil }
  }

  /// True if the tenant has given the program tokens: a program that does nothing is not signed in.
  var hasTokens: Bool {
    authorizationRequests.contains { $0.responseTypes.contains { $0 != "code" } }
      || exchanges(at: .token).contains { $0.response.status < 400 }
  }

  /// The requests that redeem a code.
  var redemptions: [Exchange] { exchanges(at: .token).filter { $0.grantType == "authorization_code" } }

  /// The result in words.
  var resultText: String {
    let page = page.map { ", page with status \($0.status)" } ?? ""
    return ending.text + page
  }

  /// The last lines of the output.
  package func lastOutput(_ count: Int = 8) -> String {
    output.split(separator: "\n", omittingEmptySubsequences: true).suffix(count).joined(separator: "\n")
  }
}
