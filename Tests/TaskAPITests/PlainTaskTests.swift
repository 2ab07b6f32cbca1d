import JSON
import Testing

@testable import TaskAPI

/// The fast parser of a task returns the same result as the full parser, or nothing.
@Suite struct PlainTaskTests {
  private func plain(_ text: [UInt8]) -> PlainTask? { text.withUnsafeBytes { PlainTask($0) } }

  private static let plainTasks = [
    #"{"Id":1,"Owner":"o","Text":"Buy milk","Completed":false,"DateModified":null}"#,
    #"{ "_id" : "57a" , "Text" : "牛奶 🥛" , "__v" : 0 }"#, #"{"text":"a"}"#, #"{"text":"a","Text":"b"}"#, #"{"Id":100}"#,
    #"{"Text":""}"#, #"{"id":null,"ID":"null","Text":"a"}"#, #"{"id":"b","Id":7}"#, #"{"Id":true}"#,
  ]
  private static let otherTasks = [
    "{}", "[]", "1", "", #"{"Text":7}"#, #"{"Text":null,"text":"a"}"#, #"{"Text":"a\nb"}"#, #"{"T\u0065xt":"a"}"#,
    #"{"Text":"a","Text":"b"}"#, #"{"Text":"a","x":1,"x":2}"#, #"{"Text":"a","x":[1]}"#, #"{"Text":"a","x":1.5}"#,
    #"{"Text":"a","x":-1}"#, #"{"Text":"a","x":01}"#, #"{"Text":"a","x":nul}"#, #"{"Text":"a","x":}"#,
    #"{"Text":"a",}"#,
    #"{"Text":"a"}}"#, #"{"Text" "a"}"#, #"{"Text":"a" "b":1}"#, "{\"Text\":\"a\u{1}\"}", #"{"Text":"a}"#,
    #"{,"Text":"a"}"#,
    "{" + (0...20).map { "\"m\($0)\":1" }.joined(separator: ",") + "}",
  ]

  @Test(arguments: plainTasks) func plainTasksAreReadAlike(_ text: String) throws {
    let task = try #require(plain(Array(text.utf8)))
    let whole = try #require(APITask(try JSON(parsing: text)))
    #expect(task.text == whole.text)
    #expect(task.isOfNode == (whole.raw["_id"] != nil))
  }

  @Test(arguments: otherTasks) func othersAreLeftToTheParser(_ text: String) {
    #expect(plain(Array(text.utf8)) == nil)
  }

  @Test func bytesThatAreNotUTF8AreLeftToTheParser() {
    #expect(plain(Array("{\"Text\":\"".utf8) + [0xFF] + Array("\"}".utf8)) == nil)
    #expect(plain(Array("{\"Text\":\"a\",\"x\":\"".utf8) + [0xC0, 0xAF] + Array("\"}".utf8)) == nil)
  }

  @Test func whatItTakesOfDamagedTextsIsWhatTheParserSays() {
    var seed: UInt64 = 7
    func random(_ bound: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % bound
    }
    let alphabet = Array("{}[]\":,\\0127.-eutrfalsn Text_id\u{1}\u{FF}".utf8)
    for _ in 0..<20_000 {
      var text = Array(Self.plainTasks[random(Self.plainTasks.count)].utf8)
      for _ in 0...random(3) {
        let place = random(text.count)
        if random(2) == 0 { text[place] = alphabet[random(alphabet.count)] } else { text.remove(at: place) }
      }
      guard let task = plain(text) else { continue }
      let whole = (try? JSON(parsing: text)).flatMap(APITask.init)
      #expect(task.text == whole?.text, "\(String(decoding: text, as: UTF8.self))")
      #expect(task.isOfNode == (whole?.raw["_id"] != nil))
    }
  }
}
