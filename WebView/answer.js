// Runs in each page, in a world of its own, with the redirect URI: hands over what a page would post there
// (response_mode=form_post), which the engine does not tell, and goes to the redirect where the page only shows it, as for
// urn:ietf:wg:oauth:2.0:oob.
function (redirectURI) {
  const place = url => {
    try {
      const parts = new URL(url);
      parts.search = parts.hash = "";
      return parts.href;
    } catch { return null; }
  };
  const redirect = place(redirectURI);
  // A form may have a field called action, which would hide the property.
  const property = (form, name) => Object.getOwnPropertyDescriptor(HTMLFormElement.prototype, name).get.call(form);
  addEventListener("formdata", event => {
    const form = event.target;
    if (property(form, "method") !== "post" || place(property(form, "action")) !== redirect) return;
    const fields = [...event.formData].filter(([, value]) => typeof value === "string");
    webkit.messageHandlers.answer.postMessage(JSON.stringify(fields));
  }, true);
  if (/^https?:/i.test(redirectURI)) return;
  addEventListener("DOMContentLoaded", () => {
    const link = [...document.links].find(link => place(link.href) === redirect);
    if (link) location.assign(link.href);
  });
}
