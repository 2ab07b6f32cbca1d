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

/// The folders with the headers of libsecret and GLib. Asking pkg-config would link the libraries, too.
let secretHeaders = [
  "/usr/include/libsecret-1", "/usr/include/glib-2.0", "/usr/lib/\(triplet)/glib-2.0/include",
  "/usr/lib64/glib-2.0/include", "/usr/lib/glib-2.0/include",
]

/// A C library that is loaded when it is first used, with the header that all of them share.
func lazy(_ name: String, headers: [String] = []) -> Target {
  .target(
    name: name,
    cSettings: [.headerSearchPath("../CLazyLibrary")]
      + (headers.isEmpty ? [] : [.unsafeFlags(headers.map { "-I\($0)" })]))
}

/// The linking of the release program, which shortens its start: "Start" in Architecture.md has the measures.
/// `make build` makes the folder with the static library of C++, and packs the relocations.
let linking = ["-use-ld=lld", "-L.build/static", "-Xlinker", "--no-export-dynamic"]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ module: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: "\(module)Tests", dependencies: [.byName(name: module)] + dependencies, swiftSettings: strict)
}

/// Tests that run the program.
func commandTests(_ area: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: "\(area)Tests", dependencies: ["b2c-run", "CommandLineSupport"] + dependencies,
    exclude: area == "Project" ? [] : ["Transcripts"], swiftSettings: strict)
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
      name: "CLuaShims", dependencies: ["CLua", "CLinuxShims"], cSettings: [.unsafeFlags(["-fno-plt"])],
      cxxSettings: [.unsafeFlags(["-fno-plt", "-fno-exceptions", "-fno-rtti"])]),
    // Boost.Beast, which has no more than headers.
    .target(name: "CBeastShims", cxxSettings: [.unsafeFlags(["-fno-exceptions", "-fno-rtti"])]),
    // Libraries that are loaded when they are first used: linking them would load them at every start.
    lazy("CCurlShims"),
    lazy("CMicrohttpdShims"),
    lazy("CGnuTLSShims"),
    lazy("CJoseShims"),
    lazy("CCryptoShims"),
    lazy("CQRencodeShims"),
    lazy("CEditShims"),
    lazy("CZlibShims"),
    lazy("CZstdShims"),
    lazy("CPQShims", headers: ["/usr/include/postgresql"]),
    lazy("CLibXML2Shims", headers: ["/usr/include/libxml2"]),
    lazy("CArchiveShims"),
    lazy("CSecretShims", headers: secretHeaders),
    .target(name: "CSQLiteShims", dependencies: ["CSQLite"]),
    // Calls of Linux that Swift's module of the C library does not have.
    .target(name: "CLinuxShims"),

    // The ground modules.
    module("Core"),
    module("JSON", ["Core", "CJansson"]),
    module("Files", ["Core", "CLinuxShims"]),
    module("HostLoop", ["Core", "CLinuxShims"]),
    module("Terminal", ["HostLoop", "Files", "Core", "CLinuxShims"]),
    module("HTTPClient", ["HostLoop", "Core", "CCurlShims", "CBeastShims"]),
    module("Permissions", ["Crypto", "HTTPClient", "HostLoop", "Files", "JSON", "Core", "CLinuxShims"]),
    module("HTTPServer", ["HostLoop", "Core", "CMicrohttpdShims", "CGnuTLSShims"]),
    module("Crypto", ["Core", "CCryptoShims"]),
    module("MCP", ["HTTPServer", "Crypto", "JSON"]),
    module("MCPClient", ["MCP", "HTTPClient", "HostLoop", "JSON", "Core"]),
    module("JOSE", ["Crypto", "JSON", "Core", "CJansson", "CJoseShims"]),
    module("DatabaseAddress", ["Files", "Core", "CPQShims"]),
    module("Databases", ["DatabaseAddress", "HostLoop", "JSON", "Core", "CSQLite", "CSQLiteShims", "CPQShims"]),
    module("Markup", ["Core", "CLibXML2Shims"]),
    module("Webhooks", ["Crypto", "JSON", "Core"]),
    module("Schedule", ["Files", "Core"]),
    module("Pages", ["Crypto", "Core"]),
    module("TraceView", ["Trace", "Pages", "JOSE", "Files", "JSON", "Core"]),
    module("Compression", ["Core", "CZlibShims", "CZstdShims"]),
    module("Archives", ["Files", "Core", "CArchiveShims"]),
    module("Encodings"),
    module("TableReading", ["Schedule"]),
    module("Workbooks", ["Archives", "Markup", "Schedule", "Files", "Core"]),

    // The modules for sign-ins, tasks and scripts.
    module("Lua", ["HostLoop", "Files", "JSON", "Core", "CLua", "CLuaShims"]),
    module("Documentation", ["Lua", "Core"]),
    module("ScriptCheck", ["Documentation", "Lua", "Permissions", "HostLoop", "Files", "JSON", "Core"]),
    module("Settings", ["DatabaseAddress", "Markup", "Crypto", "Files", "JSON", "Core"]),
    module("OAuth", ["Settings", "Markup", "JOSE", "Crypto", "HTTPClient", "HostLoop", "JSON", "Core"]),
    module(
      "Accounts",
      [
        "OAuth", "Databases", "DatabaseAddress", "JOSE", "Crypto", "HTTPClient", "HostLoop", "Files", "JSON", "Core",
        "CSecretShims",
      ]),
    module(
      "UserAgents",
      [
        "Markup", "Pages", "HTTPServer", "HTTPClient", "Terminal", "HostLoop", "Files", "JSON", "Core",
        "CQRencodeShims", "CLinuxShims",
      ]),
    module("TaskAPI", ["Schedule", "Crypto", "HTTPClient", "HostLoop", "Files", "JSON", "Core"]),
    module("Replay", ["Trace", "Accounts", "JOSE", "Crypto", "HTTPClient", "HostLoop", "Files", "JSON", "Core"]),
    module("Trace", ["OAuth", "JOSE", "Crypto", "HTTPClient", "HostLoop", "Files", "JSON", "Core"]),
    module(
      "ImportFormats",
      [
        "Workbooks", "Archives", "Encodings", "TableReading", "TaskAPI", "Compression", "HostLoop", "Files", "JSON",
        "Core",
      ]),
    module(
      "TaskExport", ["ImportFormats", "TaskAPI", "Compression", "Crypto", "HostLoop", "Files", "JSON", "Core"]),
    module(
      "ImportEngine",
      [
        "ImportFormats", "TaskAPI", "Schedule", "Databases", "Pages", "HTTPClient", "HostLoop", "Files", "JSON", "Core",
      ]),
    module(
      "ImportJournal",
      ["ImportEngine", "ImportFormats", "TaskAPI", "Databases", "HostLoop", "Files", "JSON", "Core"]),
    module(
      "SharedImport",
      ["ImportEngine", "ImportFormats", "TaskAPI", "Compression", "Databases", "HostLoop", "JSON", "Core"]),
    module(
      "ImportReport", ["TableReading", "ImportEngine", "ImportFormats", "TaskAPI", "Pages", "Files", "JSON", "Core"]),
    module("TaskPlans", ["ImportFormats", "TaskAPI", "Pages", "Crypto", "Files", "JSON", "Core"]),
    module("FilePatterns", ["Permissions", "Core"]),
    module("JobCode", ["Crypto", "JSON", "Core"]),
    module("Holidays", ["Core"]),
    module("JobTables", ["Databases", "Crypto", "JSON", "Core"]),
    module("JobLogs", ["Files", "Core"]),
    module("JobNotices", ["JSON", "Core"]),
    module("JobConditions", ["Schedule", "HostLoop", "Files", "JSON", "Core"]),
    module(
      "Jobs",
      [
        "JobTables", "JobLogs", "JobCode", "JobNotices", "JobConditions", "FilePatterns", "Holidays", "Schedule",
        "Databases", "Crypto",
        "Permissions", "HostLoop", "JSON", "Core",
      ]),
    module("JobSimulation", ["Jobs", "JobConditions", "HostLoop", "JSON"]),
    module("ChildProcess", ["HostLoop", "Files", "Core", "CLinuxShims"]),
    module(
      "JobProcesses",
      ["ChildProcess", "Jobs", "JobLogs", "Permissions", "HostLoop", "Files", "JSON", "Core", "CLinuxShims"]),
    module(
      "JobServer",
      [
        "JobProcesses", "Jobs", "JobTables", "JobLogs", "JobNotices", "JobConditions", "FilePatterns", "Webhooks",
        "Schedule", "Compression", "Pages", "AgentRecords", "OAuth", "Settings", "Databases", "Crypto", "Permissions",
        "HTTPServer", "HTTPClient", "HostLoop", "Files", "JSON", "Core", "CLinuxShims",
      ]),
    module("TenantTexts", ["HTTPServer"]),
    module(
      "LocalTenant", ["TenantTexts", "Databases", "Pages", "JOSE", "Crypto", "HTTPServer", "JSON", "Core", "CArgon2"]),
    module("AgentRecords", ["Crypto", "Files", "JSON", "Core"]),
    module(
      "AgentTools",
      [
        "AgentRecords", "MCP", "TaskPlans", "JobProcesses", "Jobs", "Crypto", "Permissions", "Terminal", "HostLoop",
        "Files", "JSON", "Core",
      ]),
    module("TenantMCP", ["LocalTenant", "MCP", "JOSE", "HTTPServer", "HTTPClient", "HostLoop", "JSON", "Core"]),
    module("Conform", ["Pages", "JSON", "Core"]),
    module("Parties", ["Files", "JSON", "Core"]),
    module(
      "Imitation", ["Parties", "ConformClient", "LocalTenant", "HTTPServer", "JSON", "Core"]),
    module(
      "ConformMatrix",
      [
        "Parties", "Imitation", "Conform", "ConformClient", "LocalTenant", "UserAgents", "Pages", "Crypto",
        "HTTPClient",
        "HostLoop", "JSON", "Core",
      ]),
    module(
      "Rehearsal",
      [
        "ConformMatrix", "LocalTenant", "Pages", "JOSE", "Crypto", "HTTPServer", "HTTPClient", "HostLoop", "JSON",
        "Core",
      ]),
    module("Setup", ["Parties", "Settings", "HTTPClient", "HostLoop", "JSON", "Core"]),
    module(
      "ConformClient",
      [
        "Conform", "ChildProcess", "TenantMCP", "MCP", "LocalTenant", "HTTPServer", "HTTPClient", "HostLoop", "Markup",
        "JOSE", "Crypto",
        "Files", "JSON", "Core", "CLinuxShims",
      ]),
    module(
      "ConformProvider",
      ["Conform", "UserAgents", "JOSE", "Crypto", "HTTPClient", "HostLoop", "JSON", "Core"]),
    module("ProtectedResources", ["OAuth", "Settings", "HTTPClient", "HostLoop", "JSON", "Core"]),
    module(
      "Automation",
      [
        "ProtectedResources",
        "TaskAPI", "UserAgents", "Accounts", "Databases", "DatabaseAddress", "OAuth", "Settings", "JOSE", "Crypto",
        "Permissions", "HTTPClient", "Terminal", "HostLoop", "Files", "JSON", "Core",
      ]),
    module(
      "CommandLine",
      [
        "Automation", "LocalTenant", "Trace", "Settings", "DatabaseAddress", "Permissions", "HostLoop", "Files", "JSON",
        "Core",
      ]),
    module(
      "Imports",
      [
        "Automation", "TaskPlans", "ImportReport", "Pages", "TaskExport", "SharedImport", "ImportJournal",
        "ImportEngine",
        "ImportFormats", "TaskAPI",
        "Accounts", "Databases", "Settings", "Permissions", "HTTPClient", "HostLoop", "Files", "JSON", "Core",
      ]),
    module(
      "LuaKit",
      [
        "CommandLine", "Automation", "Accounts", "OAuth", "Settings", "Lua", "JOSE", "Permissions", "HTTPClient",
        "HostLoop", "Files", "JSON", "Core",
      ]),
    module(
      "Commands",
      [
        "TenantMCP", "CommandLine", "JobServer", "JobProcesses", "Jobs", "JobTables", "JobConditions", "JobCode",
        "Schedule", "Imitation", "Parties", "ConformClient", "LocalTenant", "SharedImport", "TraceView",
        "Automation", "Accounts", "Databases", "DatabaseAddress", "Settings", "HTTPServer", "Crypto", "Permissions",
        "Terminal", "HostLoop", "Files", "JSON", "Core",
      ]),
    module(
      "AgentCommand",
      [
        "Commands", "CommandLine", "AgentTools", "AgentRecords", "MCP", "JobServer", "OAuth", "Settings", "HTTPServer",
        "Automation",
        "Permissions", "Terminal", "HostLoop", "Files", "JSON", "Core",
      ]),
    module(
      "ConformCommand",
      [
        "Commands", "CommandLine", "ConformMatrix", "Parties", "ConformClient", "ConformProvider", "Conform",
        "MCP", "LocalTenant", "Automation", "Settings", "JOSE",
        "HTTPClient", "HTTPServer", "Terminal", "HostLoop", "Files", "JSON", "Core",
      ]),
    module(
      "LuaSignIn",
      [
        "LuaKit", "Automation", "ProtectedResources", "UserAgents", "Accounts", "OAuth", "Settings", "Lua", "JOSE",
        "Crypto", "Permissions", "HTTPClient", "HostLoop", "Files", "JSON", "Core",
      ]),
    module(
      "LuaMCP",
      [
        "LuaSignIn", "LuaKit", "MCPClient", "MCP", "ProtectedResources", "Automation", "Accounts", "Lua", "HTTPClient",
        "HostLoop", "JSON", "Core",
      ]),
    module(
      "LuaTasks",
      [
        "Encodings", "TableReading", "LuaKit", "Imports", "Automation", "Schedule", "ImportReport", "ImportEngine",
        "TaskPlans", "TaskExport", "ImportFormats", "TaskAPI",
        "Accounts", "Settings", "Lua",
        "Crypto", "Permissions", "HTTPClient", "Terminal", "HostLoop", "Files", "JSON", "Core",
      ]),
    module(
      "LuaNet",
      [
        "LuaKit", "Automation", "TaskAPI", "Accounts", "OAuth", "Settings", "Markup", "Lua", "JOSE", "Crypto",
        "HTTPClient", "HostLoop", "Files", "JSON", "Core",
      ]),
    module(
      "LuaJobs",
      [
        "LuaKit", "CommandLine", "Automation", "JobProcesses", "JobSimulation", "Jobs", "JobCode", "JobConditions",
        "Holidays", "Schedule",
        "Accounts", "Lua",
        "Crypto",
        "Permissions", "HostLoop", "Files", "JSON", "Core",
      ]),
    module(
      "ScriptHost",
      [
        "LuaJobs", "LuaNet", "LuaTasks", "LuaMCP", "LuaSignIn", "LuaKit", "Imports", "CommandLine", "Automation",
        "LocalTenant",
        "JobCode", "ImportReport", "ImportFormats",
        "TaskAPI", "UserAgents", "Accounts", "Settings", "Documentation", "Lua", "Crypto", "HTTPServer", "Permissions",
        "HTTPClient", "Terminal", "HostLoop", "Files", "JSON", "Core",
      ]),
    module("Coverage", ["Pages", "Lua", "HostLoop", "Files", "Core"]),
    module("Profile", ["Pages", "Lua", "HostLoop", "Core"]),
    module("Debugger", ["LuaKit", "Lua", "HostLoop", "Files", "JSON", "Core"]),
    module(
      "REPL",
      [
        "Debugger", "ScriptHost", "LuaKit", "CommandLine", "Automation", "Documentation", "Lua", "Terminal", "HostLoop",
        "Files", "Core", "CEditShims",
      ]),
    module(
      "TestRunner",
      [
        "Coverage", "ScriptHost", "LuaJobs", "LuaKit", "CommandLine", "Automation", "JobProcesses", "Jobs",
        "LocalTenant", "Accounts", "Lua",
        "Permissions", "HostLoop", "Files", "Terminal", "JSON", "Core", "CLinuxShims",
      ]),
    .executableTarget(
      name: "b2c-run",
      dependencies: [
        "TestRunner", "Coverage", "Profile", "Debugger", "REPL", "ScriptHost", "LuaJobs", "LuaSignIn", "LuaKit",
        "Imports",
        "AgentCommand", "ConformCommand", "Conform", "Setup", "Parties", "Rehearsal", "Commands", "CommandLine",
        "Automation", "JobProcesses", "Jobs", "Schedule", "LocalTenant", "Accounts", "Databases", "DatabaseAddress",
        "OAuth", "Settings", "Replay", "Trace", "ScriptCheck", "Documentation", "Lua", "TraceView", "Permissions",
        "HTTPServer",
        "HTTPClient",
        "Terminal", "HostLoop", "Files", "JSON", "Core", "CLinuxShims",
      ],
      swiftSettings: strict, linkerSettings: [.unsafeFlags(linking, .when(configuration: .release))]),

    // Tests: one target for each module.
    .target(name: "TestSupport", dependencies: ["Files"], path: "Tests/TestSupport", swiftSettings: strict),
    // Parts of the program with simulated doors, for `make simulate` and for tests.
    .target(
      name: "Simulation",
      dependencies: [
        "Jobs", "JobTables", "JobConditions", "Schedule", "Databases", "HostLoop", "JSON", "Core",
      ],
      path: "Tests/Simulation", exclude: ["Program", "Faults"], swiftSettings: strict),
    tests("Simulation", ["HostLoop"]),
    tests("Core"),
    tests("JSON"),
    tests("Files", ["TestSupport"]),
    tests("HostLoop"),
    tests("Terminal"),
    tests("HTTPClient", ["TestSupport", "HTTPServer", "HostLoop", "Core"]),
    tests("HTTPServer", ["Core"]),
    tests("Permissions", ["HTTPClient", "HostLoop", "Files", "Core"]),
    tests("Crypto"),
    tests("MCP", ["HTTPServer", "JSON"]),
    tests("MCPClient", ["MCP", "HTTPClient", "HostLoop", "JSON", "Core"]),
    tests("Pages"),
    tests("JOSE", ["Crypto", "JSON", "Core"]),
    tests("Databases", ["DatabaseAddress", "HostLoop", "TestSupport", "Core"]),
    tests("Markup"),
    tests("Webhooks", ["Crypto", "Core"]),
    tests("Schedule"),
    tests(
      "Jobs",
      [
        "JobSimulation", "JobTables", "JobCode", "JobNotices", "JobConditions", "Holidays", "TestSupport", "Schedule",
        "Databases", "DatabaseAddress", "Permissions",
        "HostLoop", "Files", "JSON", "Core",
      ]),
    tests(
      "JobServer",
      [
        "JobProcesses", "TestSupport", "Jobs", "JobConditions", "FilePatterns", "Permissions", "HostLoop", "Files",
        "JSON",
      ]),
    tests("TraceView", ["Trace", "Pages", "JSON", "Core"]),
    tests("Compression", ["Core"]),
    tests("Encodings"),
    tests("TableReading"),
    tests("Workbooks", ["TestSupport", "Files", "Core"]),
    tests("Lua", ["HostLoop", "Files", "CLua"]),
    tests("Settings", ["TestSupport", "JSON", "Core"]),
    tests("OAuth", ["Settings", "JOSE", "Crypto", "HTTPServer", "HTTPClient", "HostLoop", "JSON", "Core"]),
    tests(
      "Accounts",
      [
        "TestSupport", "Databases", "DatabaseAddress", "OAuth", "Settings", "Files", "JOSE", "Crypto", "HTTPServer",
        "HTTPClient", "HostLoop", "JSON", "Core",
      ]),
    tests("UserAgents", ["HTTPServer", "HTTPClient", "Terminal", "HostLoop", "Core"]),
    tests("TaskAPI", ["HTTPServer", "HTTPClient", "HostLoop", "JSON", "Core"]),
    tests(
      "ImportFormats",
      [
        "TaskExport", "Encodings", "TableReading", "TestSupport", "TaskAPI", "Compression", "HTTPServer", "HTTPClient",
        "HostLoop",
        "Files", "JSON", "Core",
      ]),
    tests(
      "ImportEngine",
      [
        "TestSupport", "SharedImport", "ImportJournal", "ImportFormats", "TaskAPI", "Databases", "DatabaseAddress",
        "HTTPServer", "HTTPClient", "HostLoop", "Files", "JSON", "Core",
      ]),
    tests(
      "ImportJournal",
      ["TestSupport", "ImportEngine", "ImportFormats", "Databases", "HostLoop", "Files", "JSON", "Core"]),
    tests("TaskPlans", ["TestSupport", "Pages", "TaskAPI", "Crypto", "Files", "JSON", "Core"]),
    tests("ImportReport", ["TestSupport", "ImportEngine", "ImportFormats", "JSON", "Core"]),
    tests(
      "Imports",
      [
        "TestSupport", "Automation", "ImportEngine", "ImportFormats", "TaskAPI", "Permissions", "HostLoop", "Files",
        "JSON", "Core",
      ]),
    .testTarget(
      name: "LuaBindingsTests",
      dependencies: [
        "ScriptHost", "LuaJobs", "LuaSignIn", "LuaTasks", "LuaKit", "Imports", "Automation", "TenantMCP", "LocalTenant",
        "ImportEngine", "ImportFormats", "ImportReport", "TaskAPI",
        "Documentation", "Lua", "HTTPServer", "Permissions", "HostLoop", "JSON", "Core",
      ],
      exclude: ["Scripts", "Exports"], swiftSettings: strict),
    tests("Trace", ["TraceView", "JOSE", "Crypto", "JSON"]),
    tests("Conform", ["JSON"]),
    tests("ConformProvider", ["Conform", "LocalTenant", "JOSE", "HTTPServer", "HostLoop", "JSON", "Core"]),
    tests(
      "ConformClient", ["Conform", "LocalTenant", "JOSE", "HTTPServer", "HostLoop", "Files", "JSON", "Core"]),
    tests("ConformMatrix", ["Parties", "Conform", "TestSupport", "HostLoop", "JSON", "Core"]),
    tests("Rehearsal", ["HostLoop", "JSON", "Core"]),
    tests("LocalTenant", ["Markup", "JOSE", "Crypto", "HTTPServer", "HTTPClient", "HostLoop", "JSON", "Core"]),

    // Tests that run the program as a user does: one target for each area of its commands, and one for the whole project.
    .target(
      name: "CommandLineSupport",
      dependencies: ["TestSupport", "JOSE", "Crypto", "HTTPServer", "HTTPClient", "HostLoop", "JSON", "Core"],
      path: "Tests/CommandLineSupport", swiftSettings: strict),
    commandTests("AgentCommand", ["JSON"]),
    commandTests("ScriptCommand", ["Databases", "HTTPServer", "Permissions", "JSON"]),
    .testTarget(
      name: "DebugCommandTests", dependencies: ["b2c-run", "CommandLineSupport", "JSON"], swiftSettings: strict),
    commandTests("SignInCommand", ["TestSupport", "Databases", "HTTPServer", "HTTPClient", "HostLoop", "JSON"]),
    commandTests("ImportCommand", ["TestSupport", "Databases", "HTTPServer", "HostLoop", "JSON", "Core"]),
    commandTests("ServerCommand", ["TestSupport", "Databases", "HTTPServer", "HostLoop", "JSON"]),
    commandTests("Project", ["HostLoop", "JSON"]),
  ],
  swiftLanguageModes: [.v6]
)

// TESTS=OAuth,LocalTenant builds only the tests of these modules, which is faster.
if let names = Context.environment["TESTS"]?.split(separator: ",") {
  package.targets.removeAll { target in target.type == .test && !names.contains { target.name == "\($0)Tests" } }
}

// FUZZ=1 adds the program of `make fuzz`. libFuzzer has its main function. FUZZ=corpus adds that of `make sanitize`.
if let fuzz = Context.environment["FUZZ"] {
  package.targets.append(
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "Archives", "Automation", "Compression", "Core", "Crypto", "DatabaseAddress", "Databases", "Files",
        "HTTPClient",
        "HTTPServer", "HostLoop", "JOSE", "JSON", "Jobs", "LocalTenant", "Lua", "Markup", "OAuth",
        "Permissions", "Schedule", "ScriptCheck", "ScriptHost", "Settings", "TaskAPI", "SharedImport", "ImportJournal",
        "ImportEngine", "ImportFormats", "Terminal",
        "TraceView", "UserAgents", "Webhooks", "Workbooks",
      ],
      path: "Tests/Fuzz", exclude: ["Corpus", "calls.lua"],
      swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])] + (fuzz == "corpus" ? [.define("CORPUS")] : [])))
}

// SIMULATE=1 adds the program of `make simulate`.
if Context.environment["SIMULATE"] != nil {
  package.targets.append(
    .executableTarget(
      name: "simulate", dependencies: ["Simulation", "HostLoop"], path: "Tests/Simulation/Program",
      swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]))
}
