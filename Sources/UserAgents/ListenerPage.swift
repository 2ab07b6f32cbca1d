import HTTPServer
import Pages

/// The page at the end of a sign-in. It loads nothing, and no code or token is written into it.
enum ListenerPage {
  static let succeeded = page(
    "You are signed in", HTML(.p, "You may close this window and go back to the program."), script: forgetQuery)

  /// - Parameter description: the provider's sentence, which may name an AADB2C code and span several lines.
  static func failed(_ error: String, _ description: String?) -> ServerResponse {
    let text = (description ?? "").isEmpty ? error : description ?? error
    let lines = text.split(whereSeparator: \.isNewline).prefix(8).map { HTML(.p, String($0.prefix(500))) }
    return page(
      "The sign-in did not succeed",
      HTML.list(
        HTML(.div, class: "error", with: ["role": "alert"], lines),
        HTML(.p, "You may close this window. The program knows what happened.")), script: forgetQuery)
  }

  /// A redirect nobody waits for, or with another request's state.
  static let unexpected = page(
    "This sign-in is not waited for",
    HTML.list(
      HTML(.p, "The answer belongs to another sign-in, or to one that has already ended. It was not used."),
      HTML(.p, "If a program still waits for you, continue in the window that it opened.")), status: 400,
    script: forgetQuery)

  static let waiting = notice("Waiting", "A program on this machine waits here for the end of a sign-in.")

  /// An answer in the fragment (OAuth 2.0 Multiple Response Types, 5) stays in the browser: only a script sees it.
  static let fragment = page(
    "One moment",
    HTML.list(
      HTML(.p, id: "note", "The sign-in is being handed over to the program."),
      HTML(
        .noscript,
        HTML(
          .div, class: "error", with: ["role": "alert"],
          HTML(.p, "Your browser runs no scripts, without which this page cannot read its own address."),
          HTML(
            .p,
            "Allow scripts here and load the page again, or copy the address of this page and paste it into the program, "
              + "if it asks for it.")))),
    script: """
      const fields = new URLSearchParams(location.hash.slice(1));
      history.replaceState(null, "", location.pathname + location.search);
      if ([...fields].length === 0) {
        document.querySelector("h1").textContent = "Nothing has arrived";
        document.getElementById("note").textContent =
          "A program on this machine waits here for the end of a sign-in, and this address brings nothing.";
      } else {
        const form = document.createElement("form");
        form.method = "post";
        form.action = location.pathname + location.search;
        for (const [name, value] of fields) {
          const field = document.createElement("input");
          field.type = "hidden";
          field.name = name;
          field.value = value;
          form.append(field);
        }
        document.body.append(form);
        HTMLFormElement.prototype.submit.call(form);
      }
      """)

  static func notice(_ title: String, _ text: String, status: Int = 200) -> ServerResponse {
    page(title, HTML(.p, text), status: status)
  }

  /// The code must not stay in the address bar and in the history.
  private static let forgetQuery = "history.replaceState(null, \"\", location.pathname);"

  private static func page(_ title: String, _ content: HTML, status: Int = 200, script: String? = nil)
    -> ServerResponse
  {
    var policy = [
      "default-src 'none'", "style-src \(HTMLPage.source(of: style))", "img-src data:", "base-uri 'none'",
      "form-action 'self'", "frame-ancestors 'none'",
    ]
    if let script { policy.append("script-src \(HTMLPage.source(of: script))") }
    return ServerResponse(
      status: status,
      headers: [
        ("Content-Security-Policy", policy.joined(separator: "; ")), ("Cache-Control", "no-store"),
        ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
      ],
      text: """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        \(HTML(.title, title).text)
        <link rel="icon" href="data:,">
        <style>\(style)</style>
        </head>
        <body>
        <main>
        \(HTML(.h1, title).text)
        \(content.text)
        </main>
        \(script.map { "<script>\($0)</script>\n" } ?? "")</body>
        </html>

        """, type: "text/html; charset=utf-8")
  }

  private static let style = """
    :root { color-scheme: light dark; --ink: #1c2430; --paper: #fff; --ground: #eef1f5; --error: #a4161a; }
    @media (prefers-color-scheme: dark) {
      :root { --ink: #e8ecf1; --paper: #1b2129; --ground: #12161b; --error: #ff9d9d; }
    }
    body { margin: 0; padding: clamp(0rem, 10vh, 8rem) 0 1rem; background: var(--ground); color: var(--ink);
      font: 1rem/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
    main { box-sizing: border-box; width: min(100%, 30rem); margin: 0 auto; padding: 2rem; background: var(--paper);
      border-radius: .75rem; overflow-wrap: anywhere; }
    h1 { margin: 0 0 .5rem; font-size: 1.6rem; line-height: 1.2; }
    .error { padding: .25rem 1rem; border-left: 4px solid var(--error); color: var(--error); }
    """
}
