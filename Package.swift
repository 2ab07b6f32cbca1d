// swift-tools-version: 6.2
import PackageDescription

/// Settings shared by every Swift target: Swift 6 mode (set below), explicit imports, and no warning left standing.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

/// A C library from the system, found by pkg-config; SwiftPM names the apt package when it is missing.
func library(_ name: String, pkgConfig: String, apt: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

#if arch(arm64)
  let triplet = "aarch64-linux-gnu"
#else
  let triplet = "x86_64-linux-gnu"
#endif

/// Where distributions keep the headers of libsecret and GLib. Asking pkg-config would link the libraries, too.
let secretHeaders = [
  "/usr/include/libsecret-1", "/usr/include/glib-2.0", "/usr/lib/\(triplet)/glib-2.0/include",
  "/usr/lib64/glib-2.0/include", "/usr/lib/glib-2.0/include",
]

func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ room: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: "\(room)Tests", dependencies: [.byName(name: room)] + dependencies, swiftSettings: strict)
}

let package = Package(
  name: "b2c-run",
  products: [
    .executable(name: "b2c-run", targets: ["b2c-run"])
  ],
  targets: [
    // Libraries from the system. Each is imported by exactly one Swift target.
    library("CLua", pkgConfig: "lua5.4", apt: "liblua5.4-dev"),
    library("CJansson", pkgConfig: "jansson", apt: "libjansson-dev"),
    library("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
    library("CArgon2", pkgConfig: "libargon2", apt: "libargon2-dev"),

    // C that Swift cannot say: each header tells why it exists.
    // -fno-plt: the shims call into liblua all the time; this saves a jump each.
    // Its C++ is for RapidJSON, which has no more than headers.
    .target(
      name: "CLuaShims", dependencies: ["CLua"], cSettings: [.unsafeFlags(["-fno-plt"])],
      cxxSettings: [.unsafeFlags(["-fno-plt", "-fno-exceptions", "-fno-rtti"])]),
    // No dependency: libcurl is loaded when it is used, and linking it would load it at every start.
    .target(name: "CCurlShims"),
    // Likewise http_parser.
    .target(name: "CHTTPParserShims"),
    // And libmicrohttpd, with GnuTLS.
    .target(name: "CMicrohttpdShims"),
    .target(name: "CGnuTLSShims"),
    // And libjose, with libcrypto.
    .target(name: "CJoseShims"),
    // And libqrencode.
    .target(name: "CQRencodeShims"),
    // And libedit.
    .target(name: "CEditShims"),
    // And zlib and libzstd.
    .target(name: "CZlibShims"),
    .target(name: "CZstdShims"),
    // And libxml2.
    .target(name: "CLibXML2Shims", cSettings: [.unsafeFlags(["-I/usr/include/libxml2"])]),
    // Likewise libsecret, and GLib with it.
    .target(name: "CSecretShims", cSettings: [.unsafeFlags(secretHeaders.map { "-I\($0)" })]),
    .target(name: "CSQLiteShims", dependencies: ["CSQLite"]),
    .target(name: "CSpawnShims"),
    .target(name: "CProcessShims"),
    .target(name: "CEventShims"),
    .target(name: "CFileShims"),

    // The ground floor.
    room("Diagnostics"),
    room("Secrets"),
    room("Files", ["Diagnostics", "CFileShims"]),
    room("HostLoop", ["CEventShims"]),
    room("Terminal", ["HostLoop", "Diagnostics", "Files"]),
    room("HTTPClient", ["HostLoop", "Diagnostics", "CCurlShims", "CHTTPParserShims"]),
    room("Permissions", ["HostLoop", "HTTPClient", "Diagnostics", "Files"]),
    room("HTTPServer", ["HostLoop", "Diagnostics", "CMicrohttpdShims", "CGnuTLSShims"]),
    room("JOSE", ["Diagnostics", "CJansson", "CJoseShims"]),
    room("SQLite", ["Diagnostics", "CSQLite", "CSQLiteShims"]),
    room("Markup", ["Diagnostics", "CLibXML2Shims"]),
    room("PageStyle", ["JOSE", "Diagnostics"]),
    room("TraceView", ["PageStyle", "JOSE", "Diagnostics", "Files"]),
    room("Compression", ["Diagnostics", "CZlibShims", "CZstdShims"]),

    // What the project exists for.
    room("Lua", ["HostLoop", "Diagnostics", "Files", "CLua", "CLuaShims"]),
    room("Documentation", ["Lua", "Diagnostics"]),
    room("ScriptCheck", ["Documentation", "Lua", "HostLoop", "Permissions", "Diagnostics", "Files"]),
    room("Settings", ["Diagnostics", "Files", "Secrets", "JOSE", "Markup"]),
    room("OAuth", ["HostLoop", "HTTPClient", "JOSE", "Markup", "Settings", "Diagnostics", "Secrets"]),
    room(
      "Accounts",
      [
        "HostLoop", "HTTPClient", "JOSE", "OAuth", "Settings", "SQLite", "Diagnostics", "Files", "Secrets",
        "CSecretShims",
      ]),
    room(
      "UserAgents",
      [
        "HostLoop", "HTTPClient", "HTTPServer", "JOSE", "Markup", "Terminal", "Diagnostics", "Files", "Secrets",
        "CQRencodeShims",
        "CSpawnShims",
      ]),
    room("TaskAPI", ["HostLoop", "HTTPClient", "JOSE", "Diagnostics", "Files", "Secrets"]),
    room("Trace", ["TraceView", "Lua", "HostLoop", "HTTPClient", "OAuth", "JOSE", "Diagnostics", "Files", "Secrets"]),
    room(
      "TaskImport",
      [
        "PageStyle", "HostLoop", "HTTPClient", "TaskAPI", "JOSE", "SQLite", "Compression", "Diagnostics", "Files",
      ]),
    room("LocalTenant", ["HTTPServer", "JOSE", "SQLite", "Diagnostics", "CArgon2"]),
    room(
      "LuaBindings",
      [
        "Lua", "Documentation", "HostLoop", "HTTPClient", "Permissions", "JOSE", "Settings", "OAuth", "Accounts",
        "UserAgents", "TaskAPI", "TaskImport", "LocalTenant", "HTTPServer", "Terminal", "Trace", "Diagnostics",
        "Secrets", "Files",
      ]),
    room("REPL", ["LuaBindings", "Documentation", "Lua", "HostLoop", "Diagnostics", "Files", "Secrets", "CEditShims"]),
    room("TestRunner", ["LuaBindings", "Lua", "HostLoop", "LocalTenant", "Diagnostics", "Files"]),
    .executableTarget(
      name: "b2c-run",
      dependencies: [
        "CProcessShims", "REPL", "TestRunner", "TraceView", "ScriptCheck", "LuaBindings", "Documentation",
        "Permissions", "Lua", "HostLoop", "HTTPServer", "JOSE", "LocalTenant", "Terminal", "Trace", "Diagnostics",
        "Secrets", "Files",
      ],
      swiftSettings: strict),

    // Tests: one target a room.
    tests("Diagnostics"),
    tests("Secrets"),
    tests("Files"),
    tests("HostLoop"),
    tests("Terminal"),
    tests("HTTPClient", ["HostLoop", "HTTPServer"]),
    tests("HTTPServer"),
    tests("Permissions", ["HostLoop", "HTTPClient", "Diagnostics", "Files"]),
    tests("JOSE"),
    tests("SQLite"),
    tests("Markup"),
    tests("TraceView", ["PageStyle", "JOSE"]),
    tests("Compression"),
    tests("Lua", ["HostLoop", "Files", "CLua"]),
    tests("Settings", ["JOSE", "Secrets"]),
    tests("OAuth", ["HostLoop", "HTTPClient", "HTTPServer", "JOSE", "Secrets", "Settings"]),
    tests(
      "Accounts",
      ["HostLoop", "HTTPClient", "HTTPServer", "JOSE", "OAuth", "Settings", "SQLite", "Diagnostics", "Secrets"]),
    tests("UserAgents", ["HostLoop", "HTTPClient", "HTTPServer", "Markup", "Terminal", "Diagnostics", "Secrets"]),
    tests("TaskAPI", ["HostLoop", "HTTPClient", "HTTPServer", "JOSE", "Diagnostics", "Secrets"]),
    tests(
      "TaskImport",
      ["HostLoop", "HTTPClient", "HTTPServer", "TaskAPI", "JOSE", "SQLite", "Diagnostics", "Secrets", "Files"]),
    .testTarget(
      name: "LuaBindingsTests",
      dependencies: [
        "LuaBindings", "Documentation", "Lua", "HostLoop", "HTTPServer", "JOSE", "LocalTenant", "Permissions",
        "TaskImport",
      ],
      exclude: ["Scripts"], swiftSettings: strict),
    .testTarget(
      name: "CommandLineTests",
      dependencies: ["b2c-run", "HostLoop", "HTTPClient", "HTTPServer", "JOSE", "SQLite", "Diagnostics"],
      swiftSettings: strict),
    tests("Trace", ["TraceView", "HTTPClient", "HostLoop", "JOSE", "Secrets"]),
    tests("LocalTenant", ["HTTPServer", "JOSE", "HTTPClient", "HostLoop", "Markup"]),
  ],
  swiftLanguageModes: [.v6]
)
