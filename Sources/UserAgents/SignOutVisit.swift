import Core
import HTTPClient
import HostLoop
import Markup

/// The end of a visit to the logout endpoint of a provider (OpenID Connect RP-Initiated Logout, 2 and 3).
package enum SignOutVisit: Sendable, Equatable {
  /// The provider came back to the redirect URI, showed a last page, or asks for a new sign-in.
  case ended
  /// The endpoint took the request, and nothing tells if the session is over. The text says what there is instead.
  case unknown(String)
}

extension HeadlessAgent {
  /// Visits the logout endpoint, and confirms the sign-out where a page asks.
  /// - Throws: the failure of the endpoint itself, after which the session goes on.
  package func signOut(_ request: NavigationRequest) async throws -> SignOutVisit {
    try await HeadlessTrip(request, http).signOut()
  }
}

extension HeadlessTrip {
  private static let maximumSteps = 20

  func signOut() async throws -> SignOutVisit {
    var step = Step.get(request.url)
    // A redirect that is not about the address of the endpoint is its answer.
    var hasActed = false
    var pressed: Set<String> = []
    for _ in 0..<Self.maximumSteps {
      do {
        try await request.decide(on: step.url)
        if request.kind(of: step.url) == .redirect { return .ended }
        let response = try await send(step)
        if let next = try step.redirected(by: response) {
          hasActed = hasActed || ![301, 308].contains(response.status)
          step = next
          continue
        }
        guard let page = try page(of: response) else {
          guard response.status < 400 else { throw notAPage(response) }
          return response.pageType.contains("json") ? .unknown(notAPage(response).message) : .ended
        }
        guard response.status < 400 else { throw page.failed() }
        try await request.onPage?(page)
        switch SignOutPage(page, knowing: pressed, redirect: request) {
        case .end: return .ended
        case .unclear: return .unknown("the page \(page.shown) says: \(page.said)")
        case .leads(let target):
          hasActed = true
          step = .get(target)
        case .confirmation(let form, let button, let name):
          pressed.insert(name)
          page.submit(form, button)
          guard let submission = page.submission else { throw page.notUnderstood() }
          step = Step(submission, from: page.url)
        }
      } catch let error as any Failure where hasActed {
        return .unknown(error.message)
      }
    }
    return .unknown(
      "the sign-out took more than \(Self.maximumSteps) steps, the last one to \(Address.shown(step.url))")
  }
}

/// The meaning of a page that a provider shows at a sign-out.
@HostActor
enum SignOutPage {
  /// A button ends the session. The name tells it from the buttons of other pages.
  case confirmation(form: Int, HTMLButton?, name: String)
  /// The page goes on to another address by itself.
  case leads(to: String)
  /// Nobody is signed in any more.
  case end
  case unclear

  private static let signOutWords = [
    "logout", "signout", "logoff", "signoff", "endsession", "signmeout", "logmeout",
  ]
  private static let stayWords: Set<Substring> = ["stay", "keep", "back", "abort", "remain"]

  /// - Parameter knowing: the names of the buttons that were pressed before.
  init(_ page: HeadlessPage, knowing pressed: Set<String>, redirect request: NavigationRequest) {
    func name(_ form: Int, _ button: HTMLButton?) -> String {
      "\(page.action(of: page.contents[form])) \(button?.words ?? "")"
    }
    if page.contents.contains(where: { request.kind(of: page.action(of: $0)) == .redirect }) {
      self = .end
      return
    }
    if let target = page.refreshTarget {
      self = .leads(to: target)
      return
    }
    let forms = page.contents.indices.filter { page.contents[$0].typed.isEmpty }
    let ways: [(form: Int, button: HTMLButton?)] = forms.flatMap { form -> [(form: Int, button: HTMLButton?)] in
      let buttons = page.contents[form].submitting
      let isPost = page.contents[form].method == "POST"
      if buttons.isEmpty { return isPost ? [(form, nil)] : [] }
      return buttons.filter { !Self.stays($0) && (isPost || Self.signsOut($0)) }.map { (form, $0) }
    }
    let asksForSignIn = page.contents.contains {
      !$0.passwords.isEmpty || $0.code != nil || $0.userField() != nil
    }
    let way = ways.first { $0.button.map(Self.signsOut) == true } ?? (ways.count == 1 && !asksForSignIn ? ways[0] : nil)
    if let way, !pressed.contains(name(way.form, way.button)) {
      self = .confirmation(form: way.form, way.button, name: name(way.form, way.button))
    } else if asksForSignIn || page.contents.isEmpty && page.alerts.isEmpty && !page.needsScripts {
      self = .end
    } else {
      self = .unclear
    }
  }

  private static func signsOut(_ button: HTMLButton) -> Bool {
    let letters = button.words.filter(\.isLetter)
    return signOutWords.contains { letters.contains($0) }
  }

  private static func stays(_ button: HTMLButton) -> Bool {
    ConsentForm.denies(button) || !stayWords.isDisjoint(with: button.words.split { !$0.isLetter })
  }
}
