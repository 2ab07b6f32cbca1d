import Pages
import Testing

@Suite("HTML")
struct HTMLTests {
  @Test("escapes texts and the values of attributes")
  func escaping() {
    let html = HTML(.p, with: ["title": "\"><script>"], "<b> & 'c'", HTML(.b, "d"))
    #expect(html.text == "<p title=\"&quot;&gt;&lt;script&gt;\">&lt;b&gt; &amp; &#39;c&#39;<b>d</b></p>")
  }

  @Test("leaves out what is nil, and ends no element that has no end tag")
  func absence() {
    let html = HTML(.div, class: nil, with: ["hidden": "", "id": nil], nil, HTML(.br), ["a", "b"])
    #expect(html.text == "<div hidden><br>ab</div>")
  }

  @Test("separates pieces")
  func separation() {
    #expect([HTML(.i, "a"), HTML(.i, "b")].separated(by: " & ").text == "<i>a</i> &amp; <i>b</i>")
  }
}
