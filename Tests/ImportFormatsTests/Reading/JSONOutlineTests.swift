import Testing

@testable import ImportFormats

@Suite("The outline of a JSON document")
struct JSONOutlineTests {
  private func outline(_ text: String) -> JSONOutline? {
    var text = text
    return text.withUTF8 { JSONOutline(UnsafeRawBufferPointer($0)) }
  }

  @Test(
    "has the members of objects and of the first elements of arrays",
    arguments: [
      (#"{"a": 1, "b": {"c": [{"d": null}, {"e": 0}]}}"#, ["a", "b", "b.c", "b.c[].d"]),
      (#"[{"a": "x \" y", "b": []}, {"c": 1}]"#, ["[].a", "[].b"]), (#"  [[{"a": 1}]]"#, ["[][].a"]),
      (#"{"a": "{\"b\": 1}", "c": "#, ["a", "c"]), (#"{"a": [{"b": 1}], "#, ["a", "a[].b"]), ("{}", []),
      (#"{"a": "\"#, ["a"]),
      (#"{"a": {"a": {"a": {"a": {"a": {"b": 1}}}}}}"#, ["a", "a.a", "a.a.a", "a.a.a.a", "a.a.a.a.a"]),
      ("[}", []), (#"{"a""#, ["a"]),
    ])
  func paths(text: String, paths: [String]) throws { #expect(try #require(outline(text)).paths.sorted() == paths) }

  @Test("is none for other texts", arguments: ["", "  ", "a,b\n1,2\n", "\"text\""])
  func none(text: String) { #expect(outline(text) == nil) }
}
