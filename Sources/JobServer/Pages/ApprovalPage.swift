import HTTPServer
import HostLoop
import Pages

/// The page that a person gets who opens the address of a wait. Programs that look at links before people do, such as mail
/// filters, approve nothing.
@HostActor
enum ApprovalPage {
  static func response(_ request: ServerRequest) -> ServerResponse {
    let form = HTML(
      .form, with: ["method": "post", "action": request.target], HTML(.button, class: "do", "Confirm"))
    let body = HTML(.main, HTML(.h1, "Confirm"), HTML(.p, "A job waits for this confirmation."), form)
    let page = HTMLPage(title: "Confirm", body: body, style: DashboardPage.style, formAction: "'self'")
    return DashboardPage.response(page)
  }
}
