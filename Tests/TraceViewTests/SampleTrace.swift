import Core
import Foundation
import Trace

@testable import TraceView

/// A small sign-in, as a trace records it.
struct SampleTrace {
  var method = "S256"
  var nonce = "n-1"
  var isWhole = true
  var fails = false
  /// Requests of an import, in one event.
  var rows = 0
  /// Requests of a script, each an event.
  var posts = 0
  /// True if the authorization request is pushed first (RFC 9126).
  var isPushed = false

  private static let issuer = "https://login.example.com/contoso.onmicrosoft.com/b2c_1_susi"
  private static let origin = #""line":"sign_in.lua:3","call":"accounts.sign_in","coroutine":1"#

  var text: String {
    let challenge = method == "plain" ? "[verifier #1]" : "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJ\(nonce)"
    let endpoint = "\(Self.issuer)/oauth2/v2.0"
    let url =
      isPushed
      ? "\(endpoint)/authorize?client_id=app&request_uri=%5Brequest%20ID%20%231%5D"
      : "\(endpoint)/authorize?client_id=app&nonce=\(nonce)&code_challenge_method=\(method)"
        + "&code_challenge=\(challenge.replacing("[verifier #1]", with: "%5Bverifier%20%231%5D"))"
    let push =
      #"{"type":"exchange","id":40,"at":1500,"took":200,"from":"host","to":"authority","request":{"method":"POST","url":"\#(endpoint)/par","headers":[],"body":{"size":9,"form":[["client_id","app"],["client_secret","[client secret #1]"],["nonce","\#(nonce)"],["code_challenge_method","\#(method)"],["code_challenge","\#(challenge)"]]}},"response":{"status":201,"headers":[],"body":{"size":9,"json":{"request_uri":"[request ID #1]","expires_in":60}}},\#(Self.origin)}"#
    var lines = [
      #"{"type":"trace","version":1,"started":"2026-11-21T14:03:09.120Z","script":"sign_in.lua"}"#,
      #"{"type":"navigation","id":1,"at":2000,"agent":"headless","kind":"authorize","decision":"show","url":"\#(url)",\#(Self.origin)}"#,
      #"{"type":"exchange","id":2,"at":3000,"took":12000,"from":"browser","to":"authority","request":{"method":"GET","url":"\#(url)","headers":[]},"response":{"status":200,"headers":[],"body":{"size":20,"type":"text/html","text":"</script><!-- <b>&"}},"timings":{"connect":1000,"wait":9000},\#(Self.origin)}"#,
    ]
    if isPushed { lines.insert(push, at: 1) }
    if fails {
      lines.append(
        #"{"type":"sign_in","id":3,"at":1000,"took":20000,"agent":"headless","attempt":1,"outcome":"failed","error":{"code":"AADB2C90225","message":"The username or password provided in the request are invalid.","meaning":"the user name or the password is wrong","hint":"check the user name and the password"},\#(Self.origin)}"#
      )
    } else {
      lines += [
        #"{"type":"token","id":4,"at":16000,"label":"[id token #1]","kind":"id token","header":{"alg":"RS256"},"claims":{"iss":"\#(Self.issuer)","name":"Alice Liddell","exp":1795273390,"nonce":"\#(nonce)"}}"#,
        #"{"type":"validation","id":5,"at":17000,"took":1000,"token":"[id token #1]","valid":true,"checks":[{"name":"issuer","result":"passed","actual":"\#(Self.issuer)"},{"name":"expiry","result":"passed","actual":1795273390},{"name":"code hash","result":"skipped"}],\#(Self.origin)}"#,
        #"{"type":"sign_in","id":6,"at":1000,"took":20000,"agent":"headless","attempt":1,"outcome":"added","account":"Alice Liddell",\#(Self.origin)}"#,
      ]
    }
    if rows > 0 {
      let list = (0..<rows).map { "[\(30000 + $0 * 100),2500,201,40,90]" }.joined(separator: ",")
      lines.append(
        #"{"type":"exchanges","id":7,"at":30000,"took":\#(rows * 100),"from":"host","to":"tasks","request":{"method":"POST","url":"https://tasks.example.com/api/tasks","headers":[]},"columns":["at","took","status","sent","received"],"rows":[\#(list)],"line":"sign_in.lua:5","call":"tasks.import","coroutine":1}"#
      )
    }
    for number in 0..<posts {
      lines.append(
        #"{"type":"exchange","id":\#(20 + number),"at":\#(35000 + number),"took":1,"from":"host","to":"tasks","request":{"method":"POST","url":"https://tasks.example.com/api/tasks","headers":[]},"response":{"status":201,"headers":[]},"line":"sign_in.lua:6","call":"tasks.add","coroutine":1}"#
      )
    }
    if isWhole { lines.append(#"{"type":"end","id":9,"at":40000,"status":0,"events":9}"#) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The text in a file of its own, removed afterwards.
  static func withFile<Value>(_ text: String, name: String = "flow.json", _ body: (String) throws -> Value) throws
    -> Value
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: "b2c-run-trace-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: name)
    try Data(text.utf8).write(to: file)
    return try body(file.path)
  }

  func read() throws -> RecordedTrace { try Self.withFile(text) { try RecordedTrace(path: $0) } }

  /// The page of it.
  func page() throws -> String { try Self.page(of: text) }

  static func page(of text: String) throws -> String {
    try withFile(text) { path in
      let events = open(path, O_RDONLY)
      let output = open("\(path).html", O_RDWR | O_CREAT, 0o600)
      defer {
        close(events)
        close(output)
      }
      try TracePage.write(events: events, to: output)
      return try String(contentsOfFile: "\(path).html", encoding: .utf8)
    }
  }
}

extension RecordedTrace {
  init(path: String) throws(TraceError) { try self.init(try TraceInput(path)) }
}
