// Runs in each page, in a separate JavaScript world, with the redirect URI. It reports the fields that a page posts to
// the redirect URI (response_mode=form_post), because the engine does not report them. If a page only shows the answer,
// as for urn:ietf:wg:oauth:2.0:oob, it navigates to the redirect URI.
function (redirectURI) {
  const place = url => {
    try {
      const parts = new URL(url);
      parts.search = parts.hash = "";
      return parts.href;
    } catch { return null; }
  };
  const redirect = place(redirectURI);
  // A form may have a field named action, which would hide the property.
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
