import Markup
import Testing

@Suite struct HTMLDocumentTests {
  @Test(
    "The text of nested elements is read a few times, not once for each",
    arguments: ["div role=alert", "label", "a href=x", "noscript", "select", "button"])
  func nestedTexts(tag: String) throws {
    let name = tag.prefix { $0 != " " }
    let word = String(repeating: "word ", count: 2000)
    let source = String(repeating: "<\(tag)><p>", count: 120) + "<input name=inside>" + word
    let page = try HTMLDocument(parsing: Array("<form>\(source)</form><\(name)>".utf8))
    let texts = page.alerts + page.links.map(\.text) + page.forms.flatMap { $0.buttons.map(\.label) } + [page.noScript]
    #expect(texts.map(\.utf8.count).reduce(0, +) <= 9 * word.utf8.count)
    #expect(page.text.contains("word word"))
  }

  @Test func aSignInPageIsReadAsAPersonWouldReadIt() throws {
    let page = try HTMLDocument(
      parsing: Array(
        """
        <!doctype html><html lang="en"><head><title> Sign in &amp; up </title><script>var x = "<p>no</p>"</script></head>
        <body><h1>Sign in</h1>
        <div class="error pageLevel" style="display: none;">hidden report</div>
        <p role="alert">Your password is <b>wrong</b>.</p>
        <form action="/login?p=1&amp;q=2" method="post" id="f">
          <input type="hidden" name="csrf" value="a&quot;b">
          <label for="u">User name</label><input id="u" name="username" autocomplete="username">
          <label>Password <input type="password" name="password"></label>
          <input type="checkbox" name="keep" checked><input type="checkbox" name="news" value="1">
          <input type="radio" name="r" value="1"><input type="radio" name="r" value="2" checked>
          <select name="country"><optgroup label="x"><option value="de">Germany<option selected>Wales</optgroup></select>
          <textarea name="note">
        first
        second</textarea>
          <input name="off" value="x" disabled>
          <button name="action" value="go">Sign <i>in</i></button>
          <button type="button">Show</button>
          <input type="submit" name="cancel" value="Cancel">
        </form>
        <a href="?p=b2c_1_reset">Forgot your password?</a>
        <noscript>Works without scripts</noscript>
        </body></html>
        """.utf8))
    #expect(page.title == "Sign in & up")
    #expect(page.alerts == ["Your password is wrong."])
    #expect(page.links.map(\.target) == ["?p=b2c_1_reset"])
    #expect(page.links.map(\.text) == ["Forgot your password?"])
    let form = try #require(page.forms.first)
    #expect(page.forms.count == 1)
    #expect(form.action == "/login?p=1&q=2")
    #expect(form.method == "POST")
    #expect(form.id == "f")
    #expect(
      form.submittedFields.map { "\($0.0)=\($0.1)" } == [
        "csrf=a\"b", "username=", "password=", "keep=on", "r=2", "country=Wales", "note=first\nsecond",
      ])
    #expect(form.fields.first { $0.name == "username" }?.label == "User name")
    #expect(form.fields.first { $0.name == "password" }?.label == "Password")
    #expect(form.fields.first { $0.name == "password" }?.type == "password")
    #expect(form.fields.first { $0.name == "country" }?.options.map(\.value) == ["de", "Wales"])
    #expect(form.fields.first { $0.name == "off" }?.isDisabled == true)
    #expect(form.buttons.map(\.label) == ["Sign in", "Show", "Cancel"])
    #expect(form.buttons.map(\.submits) == [true, false, true])
    #expect(page.text.contains("Works without scripts"))
    #expect(!page.text.contains("hidden report"))
    #expect(!page.text.contains("var x"))
  }

  @Test func fieldsOutsideOfTheirFormBelongToIt() throws {
    let page = try HTMLDocument(
      parsing: Array(
        #"<form id=a></form><form id=b><input name=y form=a></form><button form="a" formaction="/x">Go</button>"#.utf8))
    #expect(page.forms.map { $0.fields.map(\.name) } == [["y"], []])
    #expect(page.forms[0].buttons.first?.action == "/x")
    #expect(page.forms[0].action == nil)
    #expect(page.forms[0].method == "GET")
  }

  @Test func whatASignInAgentGoesBy() throws {
    let page = try HTMLDocument(
      parsing: Array(
        """
        <html><head><meta http-equiv="Refresh" content="0; URL='/next?a=1'"></head><body>
        <form enctype="multipart/form-data"><input name=a autocomplete="Section-x Username"></form><form><input name=b>
        </form></body></html>
        """.utf8))
    #expect(page.refresh == "/next?a=1")
    #expect(page.forms.map(\.isMultipart) == [true, false])
    #expect(page.forms.map { $0.fields.first?.autocomplete } == ["section-x username", nil])
    #expect(try HTMLDocument(parsing: Array("<meta http-equiv=refresh content=30>".utf8)).refresh == nil)
  }

  @Test func textIsUTF8UnlessThePageSaysOtherwise() throws {
    #expect(try HTMLDocument(parsing: Array("<title>Grüße 你好</title>".utf8)).title == "Grüße 你好")
    let latin: [UInt8] = Array("<meta charset=iso-8859-1><title>Gr".utf8) + [0xFC] + Array("n</title>".utf8)
    #expect(try HTMLDocument(parsing: latin).title == "Grün")
    let declared: [UInt8] = Array("<title>Gr".utf8) + [0xFC] + Array("n</title>".utf8)
    #expect(try HTMLDocument(parsing: declared, encoding: "iso-8859-1").title == "Grün")
  }

  @Test func whateverComesIsNoCrash() throws {
    #expect(try HTMLDocument(parsing: []).forms.isEmpty)
    #expect(try HTMLDocument(parsing: Array("not html".utf8)).text == "not html")
    #expect(try HTMLDocument(parsing: [0, 255, 60, 60]).forms.isEmpty)
    let deep = String(repeating: "<div>", count: 20_000) + "x"
    #expect(try HTMLDocument(parsing: Array(deep.utf8)).forms.isEmpty)
  }
}
