import Core
import HTTPServer
import HostLoop
import Testing
import UserAgents

@Suite struct HeadlessCallbackTests {
  struct Broken: Error {}

  static let site: Site.Handler = { request in
    switch (request.method, request.path) {
    case ("GET", "/oauth2/authorize"): return .redirect("/login")
    case ("GET", "/login"):
      return .page(
        """
        <p>Welcome back</p>
        <form id=main method=post action=/done><input type=hidden name=csrf value=1><input name=user>
        <label>Your code <input name=otp></label><input type=password name=pin value=""><input type=radio name=way value=sms>
        <input type=radio name=way value=app checked><select name=lang><option>de<option>en</select>
        <button name=go value=a>First</button><button name=go value=b>Second</button></form>
        """)
    default:
      let fields = request.form.map { "\($0.0)-\($0.1)" }.joined(separator: "_")
      return .redirect("\(Site.redirectURI)?code=\(fields)")
    }
  }

  @Test @HostActor func aScriptFillsThePage() async throws {
    let site = try Site(Self.site)
    var page: HeadlessPage?
    let redirect = try await site.open {
      $0.onPage = { shown in
        page = shown
        try shown.fill("user", "bob")
        try shown.fill("otp", "123")
        try shown.fill("pin", "9999")
        try shown.fill("way", "sms")
        try shown.submit("Second")
      }
    }
    #expect(redirect == "\(Site.redirectURI)?code=csrf-1_user-bob_otp-123_pin-9999_way-sms_lang-de_go-b")
    let shown = try #require(page)
    #expect(shown.title == "Sign in")
    #expect(shown.url == "\(site.url)/login")
    #expect(shown.text.hasPrefix("Welcome back"))
    let form = try #require(shown.forms.first)
    #expect(form.action == "\(site.url)/done")
    #expect(form.method == "POST")
    #expect(form.fields.map(\.name) == ["csrf", "user", "otp", "pin", "way", "way", "lang"])
    #expect(form.fields[2].label == "Your code")
    #expect(form.fields[3].value == "[secret]")
    #expect(form.fields[6].options == ["de", "en"])
    #expect(form.buttons.map(\.label) == ["First", "Second"])
  }

  @Test @HostActor func aFilledPageIsSubmittedAndAnUntouchedOneFilled() async throws {
    let site = try Site(Self.site)
    let filled = try await site.open { $0.onPage = { try $0.fill("otp", "1") } }
    #expect(filled.hasSuffix("otp-1_pin-_way-app_lang-de_go-a"))
    let untouched = try await site.open { $0.onPage = { _ in } }
    #expect(
      untouched.contains("user-alice_otp-_pin-secret+word") || untouched.contains("user-alice_otp-_pin-secret word"))
  }

  @Test @HostActor func unknownNamesAreNamed() async throws {
    let site = try Site(Self.site)
    let field = await #expect(throws: UserAgentError.self) {
      try await site.open { $0.onPage = { try $0.fill("opt", "1") } }
    }
    #expect(field?.message == "the page \"Sign in\" at \(site.url)/login has no field \"opt\"")
    #expect(field?.hint == "did you mean \"otp\"?")
    let button = await #expect(throws: UserAgentError.self) {
      try await site.open { $0.onPage = { try $0.submit("Anmelden") } }
    }
    #expect(button?.hint == "it has \"First\", \"Second\"")
    await #expect(throws: UserAgentError.self) { try await site.open { $0.onPage = { try $0.fill("way", "fax") } } }
  }

  @Test @HostActor func everyAddressIsToldAndNamed() async throws {
    let site = try Site(Self.site)
    var told: [String] = []
    _ = try await site.open {
      $0.onNavigate = { url, kind in
        told.append("\(kind) \(url.prefix { $0 != "?" }.split(separator: "/").last ?? "")")
        return .show
      }
    }
    #expect(told == ["authorize authorize", "login login", "other done", "redirect callback"])
  }

  @Test @HostActor func aScriptMayStopIt() async throws {
    let site = try Site(Self.site)
    let error = await #expect(throws: UserAgentError.self) {
      try await site.open { $0.onNavigate = { _, kind in kind == .login ? .stop : .hide } }
    }
    #expect(error?.message == "the sign-in was stopped by on_navigate at \(site.url)/login")
    #expect(site.seen == ["GET /oauth2/authorize"])
    await #expect(throws: Broken.self) { try await site.open { $0.onPage = { _ in throw Broken() } } }
  }
}
