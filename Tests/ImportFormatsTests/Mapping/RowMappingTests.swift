import Core
import ImportFormats
import JSON
import TaskAPI
import Testing

@Suite struct RowMappingTests {
  typealias Pair = RowMapping.Pair

  @Test(
    arguments: [
      ("text=Title", [Pair(field: "text", column: "Title")]),
      (
        " text = Title , due=Due date",
        [Pair(field: "text", column: "Title"), Pair(field: "due", column: "Due date")]
      ),
      (
        #"text="Title, long",note="a=""b""","x,y"=Z"#,
        [
          Pair(field: "text", column: "Title, long"), Pair(field: "note", column: "a=\"b\""),
          Pair(field: "x,y", column: "Z"),
        ]
      ),
      ("text=a=b", [Pair(field: "text", column: "a=b")]),
    ] as [(String, [Pair])])
  func parses(text: String, pairs: [Pair]) throws {
    #expect(try RowMapping(parsing: text).pairs == pairs)
  }

  @Test(arguments: [
    ("text=Title,Due", "has a part without '=': Due (write FIELD=COLUMN, as in text=Title,due=Due)"),
    ("Title", "has a part without '=': Title (write FIELD=COLUMN, as in text=Title,due=Due)"),
    ("", "has an empty part (write FIELD=COLUMN, as in text=Title,due=Due)"),
    ("text=Title,", "has an empty part (write FIELD=COLUMN, as in text=Title,due=Due)"),
    ("text=", "has a part without a column (write FIELD=COLUMN, as in text=Title,due=Due)"),
    ("=Title", "has a part without a field (write FIELD=COLUMN, as in text=Title,due=Due)"),
    ("due=Due", "does not say which column has the text (write --map text=COLUMN,due=Due)"),
    ("text=a,Text=b", "says twice where \"Text\" comes from (write FIELD=COLUMN, as in text=Title,due=Due)"),
    ("text=\"Title", "has a quote that is never closed (write FIELD=COLUMN, as in text=Title,due=Due)"),
    ("text=\"a\"b", "has text after the quotes of \"a\" (write FIELD=COLUMN, as in text=Title,due=Due)"),
  ])
  func refuses(text: String, says: String) {
    let error = #expect(throws: ImportError.self) { try RowMapping(parsing: text) }
    #expect(error?.code == "invalid_map")
    #expect(error?.description == "the map \"\(text)\" \(says)")
  }
}
