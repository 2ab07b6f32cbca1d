import HTTPClient
import HostLoop
import JSON
import LocalTenant
import Markup
import Testing

/// The choice of the pages' language.
@HostActor @Suite struct LanguageTests {
  let browser: Browser

  init() throws {
    browser = try Browser.ofSharedTenant()
  }

  private func expect(_ title: String, in language: String) {
    #expect(browser.page.title == "\(title) – Contoso")
    #expect(browser.response.text.contains("<html lang=\"\(language)\">"))
  }

  @Test(arguments: [
    ("el", "el", "Σύνδεση", "Σφάλμα: Σύνδεση"), ("fr-CA en", "fr", "Se connecter", "Erreur : Se connecter"),
    ("tr", "tr", "Oturum aç", "Hata: Oturum aç"), ("xx de", "de", "Anmelden", "Fehler: Anmelden"),
    ("cs", "cs", "Přihlásit se", "Chyba: Přihlásit se"), ("xx", "en", "Sign in", "Error: Sign in"),
  ])
  func uiLocalesChooses(locales: String, language: String, title: String, error: String) async throws {
    try await browser.authorize(["ui_locales": locales, "prompt": "login"])
    expect(title, in: language)
    // The next page has the same language, and its title reports the error.
    try await browser.submit([:], button: "sign_in")
    expect(error, in: language)
    #expect(browser.page.alerts.count == 1)
  }

  @Test(arguments: [
    ("de", "Anmelden", "de"), ("xx, fr-CH;q=0.9, en;q=0.8", "Se connecter", "fr"),
    ("en;q=0.1, tr;q=0.7, el;q=0.7", "Oturum aç", "tr"), ("cs;q=0, *", "Sign in", "en"), ("de;q=x", "Anmelden", "de"),
    (";;,,=", "Sign in", "en"), ("CS-cz", "Přihlásit se", "cs"),
  ])
  func elseTheBrowserChooses(accepted: String, title: String, language: String) async throws {
    for locales in [nil, "xx"] {
      let fields = browser.authorizationFields(["prompt": "login", "ui_locales": locales])
      try await browser.post(
        "\(browser.base)/oauth2/v2.0/authorize", fields, headers: ["Accept-Language": accepted])
      expect(title, in: language)
    }
    let fields = browser.authorizationFields(["prompt": "login", "ui_locales": "el"])
    try await browser.post("\(browser.base)/oauth2/v2.0/authorize", fields, headers: ["Accept-Language": accepted])
    expect("Σύνδεση", in: "el")
  }

  @Test func theDevicePagesKeepIt() async throws {
    let codes = try await browser.beginDevice().body
    try await browser.get("\(codes["verification_uri"]?.string ?? "")?ui_locales=xx+de")
    expect("Ein Gerät verbinden", in: "de")
    try await browser.submit(["user_code": "BBBB-BBBB"], button: "next")
    expect("Fehler: Ein Gerät verbinden", in: "de")
    #expect(browser.page.alerts.first?.hasPrefix("Dieser Code ist hier nicht bekannt") == true)
    try await browser.submit(["user_code": codes["user_code"]?.string ?? ""], button: "next")
    try await browser.follow()
    expect("Anmelden", in: "de")
    try await browser.submit(["logonIdentifier": "alice", "password": "Wonderland-1"], button: "sign_in")
    try await browser.follow()
    expect("Auf dem Gerät anmelden?", in: "de")
    #expect(
      browser.page.text.contains(
        "Sie melden sich gleich bei Local tasks app als Alice Liddell an, auf dem Gerät, das den Code "
          + "\(codes["user_code"]?.string ?? "") zeigt."))
    try await browser.submit([:], button: "cancel")
    expect("Nicht angemeldet", in: "de")
    try await browser.get("\(browser.base)/device?state=unknown&ui_locales=tr")
    expect("Bu oturum açma işlemi sona erdi", in: "tr")
  }

  @Test(arguments: [
    ("el", "Το όνομα χρήστη ή ο κωδικός πρόσβασης δεν είναι σωστά."),
    ("en", "We don't seem to recognize this user name and password."),
  ])
  func whatWasTypedIsCorrectedInItAndTheAppToldInEnglish(language: String, text: String) async throws {
    try await browser.authorize(["ui_locales": language, "prompt": "login"])
    try await browser.submit(["logonIdentifier": "alice", "password": "wrong"], button: "sign_in")
    #expect(browser.page.alerts == ["\(text)\nAADB2C90225"])
    try await browser.submit([:], button: "cancel")
    #expect(
      browser.redirected["error_description"]?.hasPrefix(
        "AADB2C90091: The user has cancelled entering self-asserted information.") == true)
  }

  @Test(arguments: [
    ("de", "b2c_1_susi/nowhere", "Hier ist nichts", "Diese Adresse gibt es hier nicht.", ""),
    ("el", "b2c_1_no/login", "Δεν υπάρχει τίποτα εδώ", "Δεν υπάρχει πολιτική b2c_1_no εδώ.", "Οι πολιτικές είναι: "),
    ("fr", "login", "Il n’y a rien ici", "L’adresse ne nomme aucune stratégie.", "Les stratégies sont\u{A0}: "),
    ("en", "b2c_1_%3Cb%3E/login", "Nothing is here", "There is no policy b2c_1_&lt;b&gt; here.", "The policies are "),
  ])
  func aMistypedAddressIsExplainedInIt(
    language: String, path: String, title: String, text: String, policies: String
  ) async throws {
    let request = HTTPRequest(
      url: "\(browser.tenant.url)/\(Browser.domain)/\(path)",
      headers: ["Accept": "text/html", "Sec-Fetch-Dest": "document", "Accept-Language": language])
    let answer = try await browser.http.send(request)
    #expect(answer.status == 404)
    let known = policies.isEmpty ? "" : " \(policies)b2c_1_susi, "
    #expect(answer.text.contains("<h1>\(title)</h1>\n<p>\(text)\(known)"), "\(answer.text)")
    let tenant = try await browser.http.send(
      HTTPRequest(url: "\(browser.tenant.url)/fabrikam.example/x/login", headers: request.headers))
    #expect(tenant.text.contains("fabrikam.example"))
    #expect(tenant.text.contains(Browser.domain))
  }

  @Test func soDoesWhatCannotGoOn() async throws {
    try await browser.authorize(["client_id": "nobody", "ui_locales": "cs"])
    expect("Chyba: Toto přihlášení nemůže pokračovat", in: "cs")
    // B2C's own text is for developers and is marked as English.
    #expect(browser.response.text.contains("lang=\"en\" tabindex=\"-1\"><p>AADB2C90018: "))
    try await browser.get("\(browser.base)/login?ui_locales=fr")
    expect("Cette connexion a pris fin", in: "fr")
    let logout = "\(browser.base)/oauth2/v2.0/logout?ui_locales=el&post_logout_redirect_uri="
    try await browser.get(logout + "https://evil.example/")
    expect("Έχετε αποσυνδεθεί", in: "el")
    #expect(browser.page.text.contains("δεν είναι καταχωρισμένη για καμία εφαρμογή: https://evil.example/"))
    var lost = HTTPRequest(url: "\(browser.tenant.url)/\(Browser.domain)/b2c_1_nothing/oauth2/v2.0/authorize")
    #expect(try await browser.http.send(lost).headers["Content-Type"] == "application/json; charset=utf-8")
    lost.headers = ["Sec-Fetch-Dest": "document", "Accept-Language": "de"]
    let answer = try await browser.http.send(lost)
    #expect(answer.status == 404)
    lost.headers = ["Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"]
    let page = try await browser.http.send(lost)
    #expect(page.status == 404 && page.text.contains("The policies are b2c_1_susi"), "\(page.text)")
    var request = HTTPRequest(method: "DELETE", url: "\(browser.base)/device")
    request.headers["Accept-Language"] = "tr"
    #expect(try await browser.http.send(request).text.contains("Bu adresin kabul ettikleri: GET, POST."))
  }
}
