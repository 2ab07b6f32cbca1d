import Core
import HTTPServer
import HostLoop
import PageStyle

/// The page that a person gets who opens the address of a wait. Programs that look at links before people do, such as mail
/// filters, approve nothing.
@HostActor
enum ApprovalPage {
  static func response(_ request: ServerRequest) -> ServerResponse {
    let page = HTMLPage(
      title: "Confirm",
      body: """
        <main><h1>Confirm</h1>
        <p>A job waits for this confirmation.</p>
        <form method="post" action="\(HTMLText.escape(request.target))"><button class="do">Confirm</button></form></main>
        """, style: DashboardPage.style, formAction: "'self'")
    return DashboardPage.response(page)
  }
}
