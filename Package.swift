// swift-tools-version: 6.2
import PackageDescription

// TACTUS_RTSAN=1 builds the C side with RealtimeSanitizer and links its runtime (see .ci/run).
let realtimeSanitizer = Context.environment["TACTUS_RTSAN"] == "1"

let swift: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableExperimentalFeature("Extern"),
]

/// The page's bytes are a file that the build writes.
let pageSwift: [SwiftSetting] = [.swiftLanguageMode(.v6)]

// Tests may use unsafe C calls freely: strict memory safety is for the product.
let testSwift: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// TACTUS_TESTS=OSCWireTests,ConductorTests builds only these test targets: `swift test --filter`
// alone builds all of them.
let wantedTests = Context.environment["TACTUS_TESTS"]?.split(separator: ",").map(String.init)

let sanitizeC: [CSetting] = realtimeSanitizer ? [.unsafeFlags(["-fsanitize=realtime"])] : []
let sanitizeLink: [LinkerSetting] =
  realtimeSanitizer ? [.unsafeFlags(["-Xclang-linker", "-fsanitize=realtime"])] : []

/// As shipped the programs carry the standard library: they start without Swift and take 2 MB less.
let staticLibrary: [LinkerSetting] =
  realtimeSanitizer ? [] : [.unsafeFlags(["-static-stdlib"], .when(configuration: .release))]

func library(
  _ name: String, _ dependencies: [Target.Dependency] = [], pages: [String] = []
) -> Target {
  .target(name: name, dependencies: dependencies, exclude: pages, swiftSettings: swift)
}

/// Arithmetic over millions of samples: optimised in debug builds too, or its tests take minutes.
let optimised: [SwiftSetting] = [.unsafeFlags(["-O"], .when(configuration: .debug))]

func analysis(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: swift + optimised)
}

func analysisTests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, swiftSettings: testSwift + optimised,
    linkerSettings: sanitizeLink)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, swiftSettings: swift,
    linkerSettings: sanitizeLink + staticLibrary)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, swiftSettings: testSwift, linkerSettings: sanitizeLink)
}

/// What every adapter and controller stands on.
let engine: [Target.Dependency] = [
  "RealtimeEngine", "RealtimeHost", "ThreadCrossing", "MetronomeModel", "MusicalTime",
]

let package = Package(
  name: "tactus",
  products: [
    .executable(name: "tactusd", targets: ["tactusd"]),
    .executable(name: "tactus", targets: ["tactus"]),
    .executable(name: "tactus-web", targets: ["tactus-web"]),
    .executable(name: "tactus-link", targets: ["tactus-link"]),
  ],
  targets: [
    // C system libraries.
    .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
    .systemLibrary(name: "CLiblo", pkgConfig: "liblo", providers: [.apt(["liblo-dev"])]),
    .systemLibrary(name: "CSndfile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
    .systemLibrary(
      name: "CSamplerate", pkgConfig: "samplerate", providers: [.apt(["libsamplerate0-dev"])]),
    .systemLibrary(name: "CFFTW", pkgConfig: "fftw3f", providers: [.apt(["libfftw3-dev"])]),
    .systemLibrary(
      name: "CWebsockets", pkgConfig: "libwebsockets", providers: [.apt(["libwebsockets-dev"])]),
    .systemLibrary(
      name: "CAvahi", pkgConfig: "avahi-client", providers: [.apt(["libavahi-client-dev"])]),
    .systemLibrary(
      name: "CQRencode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    .target(name: "CLinux", cSettings: sanitizeC),

    // Arithmetic of time, then what a musician can ask for, then the audio thread's world.
    .target(name: "MusicalTime", swiftSettings: swift, linkerSettings: [.linkedLibrary("m")]),
    library("ThreadCrossing"),
    library("RealtimeHost", ["CLinux", "ThreadCrossing", "MusicalTime"]),
    library("MetronomeModel", ["MusicalTime"]),
    library("RealtimeEngine", ["ThreadCrossing", "MetronomeModel", "MusicalTime"]),

    // Text and files a person or another program writes: pure readers and writers.
    library("ScoreFormats", ["MetronomeModel", "MusicalTime"]),

    // How both programs read what a person typed.
    library("CommandLineOptions"),
    // The command lines of the programs that `tactus` writes the manual of.
    library("OptionTables", ["CommandLineOptions", "MetronomeModel"]),

    // Adapters: one outside thing each; they import neither each other nor the Conductor.
    library(
      "ALSAAudio",
      ["CALSA", "CLinux"] + engine, pages: ["README.md"]),
    library(
      "ALSASequencer",
      ["CALSA", "CLinux"] + engine),
    library(
      "SoundFiles",
      ["CSndfile", "CSamplerate"] + engine),

    // OSC: bytes and sockets; addresses and messages; the server; lamps and subscribers told on time.
    library("OSCWire", ["CLiblo", "CLinux", "MusicalTime"]),
    library(
      "OSCProtocol", ["OSCWire", "CLinux", "MetronomeModel", "MusicalTime"],
      pages: ["README.md", "BeatProtocol.md"]),
    library("OSCService", ["OSCProtocol", "OSCWire", "CLinux", "MetronomeModel", "MusicalTime"]),
    library("BeatOutputs", ["OSCService", "OSCProtocol", "OSCWire"] + engine),

    // Control: one owner of the state; the offline renderer drives the same engine.
    library(
      "Conductor",
      ["ScoreFormats"] + engine),
    library(
      "OfflineRender",
      ["Conductor", "ScoreFormats", "SoundFiles"] + engine),

    // Listening: what a recording of sweeps or of a player says. Never part of tactusd.
    analysis("FourierAnalysis", ["CFFTW"]),
    analysis("Sweeps", []),
    analysis("Calibration", ["FourierAnalysis", "ScoreFormats", "Sweeps"]),
    .target(
      name: "TimingReport",
      dependencies: ["FourierAnalysis", "ScoreFormats", "MetronomeModel", "MusicalTime"],
      exclude: ["SideFile.md"], swiftSettings: swift + optimised),

    // Takes: the recording, its side file and its folder.
    analysis("TakeRecorder", ["ScoreFormats", "MetronomeModel", "MusicalTime"]),

    // The other side of the beat events: what a wristband or a lamp does.
    library("Companion", ["OSCProtocol", "OSCWire", "CLinux"] + engine),

    // The page for browsers, one file, as bytes of the program.
    .target(
      name: "WebPage", resources: [.embedInCode("page.html")], swiftSettings: pageSwift),
    // What the network sees beside OSC: a process of its own, because its libraries must not touch
    // the daemon.
    library(
      "Web",
      [
        "WebPage", "CWebsockets", "CAvahi", "OSCProtocol", "OSCWire", "CLinux",
        "CommandLineOptions", "OptionTables",
      ] + engine),
    // A session of Ableton Link: who leads it, and the messages between the daemon and the program
    // that takes part, a process of its own for the sake of its library.
    library("LinkSession", ["MetronomeModel", "MusicalTime"]),
    .target(
      name: "CAbletonLink",
      cxxSettings: [.define("LINK_PLATFORM_LINUX", to: "1"), .unsafeFlags(["-fno-rtti"])]),
    library(
      "LinkPeer",
      [
        "CAbletonLink", "LinkSession", "CLinux", "CommandLineOptions", "OptionTables",
        "RealtimeHost", "MusicalTime",
      ]),
    // Pages for tablets, made from the address table.
    library("ControllerLayouts", ["OSCProtocol", "OSCWire", "MetronomeModel", "MusicalTime"]),

    // What makes a metronome late, silent or hard to reach on a machine.
    library("Doctor"),

    // Programs: wiring only.
    library(
      "TactusDaemon",
      [
        "ALSAAudio", "ALSASequencer", "BeatOutputs", "OSCService", "OSCProtocol", "OSCWire",
        "SoundFiles", "Conductor", "ScoreFormats", "CLinux", "CommandLineOptions", "OptionTables",
        "LinkSession", "TakeRecorder", "Sweeps",
      ] + engine, pages: ["RaspberryPi.md"]),
    library(
      "TactusCommands",
      [
        "OfflineRender", "OSCProtocol", "OSCWire", "SoundFiles", "Conductor", "ScoreFormats",
        "CQRencode", "CLinux", "CommandLineOptions", "OptionTables", "Companion", "ALSASequencer",
        "ControllerLayouts", "Calibration", "TimingReport", "TakeRecorder", "ALSAAudio", "Doctor",
        "Sweeps",
      ] + engine),
    program("tactusd", ["TactusDaemon", "CommandLineOptions"]),
    program("tactus", ["TactusCommands", "CommandLineOptions"]),
    program("tactus-web", ["Web", "CommandLineOptions"]),
    // For a test that kills it while it writes.
    .executableTarget(
      name: "state-writer", dependencies: ["ScoreFormats", "MetronomeModel"],
      path: "Tests/StateWriter", swiftSettings: testSwift, linkerSettings: sanitizeLink),
    program("tactus-link", ["LinkPeer", "CommandLineOptions"]),

    analysisTests(
      "CalibrationTests", ["Calibration", "FourierAnalysis", "ScoreFormats", "Sweeps"]),
    analysisTests(
      "TimingReportTests", ["TimingReport", "ScoreFormats", "MetronomeModel", "MusicalTime"]),
    tests(
      "TakeRecorderTests",
      ["TakeRecorder", "SoundFiles", "ScoreFormats", "MetronomeModel", "MusicalTime"]),
    tests("CommandLineOptionsTests", ["CommandLineOptions"]),
    tests(
      "CompanionTests", ["Companion", "OSCProtocol", "OSCWire", "MetronomeModel", "MusicalTime"]),
    tests("LinkSessionTests", ["LinkSession", "MetronomeModel", "MusicalTime"]),
    tests("WebTests", ["Web", "WebPage", "OSCProtocol", "OSCWire"]),
    .testTarget(
      name: "ControllerLayoutsTests",
      dependencies: [
        "ControllerLayouts", "OSCProtocol", "OSCWire", "MetronomeModel", "MusicalTime",
      ],
      exclude: ["draw.py", "gates.py", "openstagecontrol.js", "touchosc.py", "touchosc.lua"],
      swiftSettings: testSwift,
      linkerSettings: sanitizeLink),
    tests("DoctorTests", ["Doctor"]),
    tests("ThreadCrossingTests", ["ThreadCrossing"]),
    tests("MusicalTimeTests", ["MusicalTime"]),
    tests("RealtimeHostTests", ["RealtimeHost", "MusicalTime"]),
    tests("MetronomeModelTests", ["MetronomeModel", "MusicalTime"]),
    tests(
      "RealtimeEngineTests",
      ["CLinux"] + engine),
    tests("ScoreFormatsTests", ["ScoreFormats", "MetronomeModel", "MusicalTime"]),
    tests(
      "ALSAAudioTests",
      ["ALSAAudio", "CLinux"] + engine),
    tests(
      "ALSASequencerTests",
      ["ALSASequencer", "CLinux"] + engine),
    tests("OSCWireTests", ["OSCWire"]),
    tests("OSCProtocolTests", ["OSCProtocol", "OSCWire", "MetronomeModel", "MusicalTime"]),
    tests(
      "OSCServiceTests",
      ["OSCService", "OSCProtocol", "OSCWire", "CLinux", "MetronomeModel", "MusicalTime"]),
    tests(
      "BeatOutputsTests",
      ["BeatOutputs", "OSCService", "OSCProtocol", "OSCWire", "CLinux"] + engine),
    tests(
      "SoundFilesTests",
      ["SoundFiles"] + engine),
    tests(
      "ConductorTests",
      ["Conductor", "ScoreFormats"] + engine),
    tests(
      "OfflineRenderTests",
      ["OfflineRender", "Conductor", "SoundFiles", "ScoreFormats"] + engine),
    tests(
      "ProgramTests",
      [
        "TactusDaemon", "TactusCommands", "CommandLineOptions", "OSCProtocol", "OSCWire",
        "Conductor", "ALSASequencer", "ScoreFormats",
        "CLinux", "Companion", "OptionTables", "state-writer", "TakeRecorder", "SoundFiles",
      ]
        + engine),
  ],
  cxxLanguageStandard: .cxx17
)

if let wantedTests {
  package.targets.removeAll { $0.type == .test && !wantedTests.contains($0.name) }
}

// TACTUS_FUZZ=1 adds the programs that throw random bytes at every reader of foreign ones: Tests/Fuzz/run.
if Context.environment["TACTUS_FUZZ"] == "1" {
  func fuzz(
    _ product: String, _ name: String, path: String, exclude: [String] = [],
    _ dependencies: [Target.Dependency], reads targets: [String]
  ) {
    // Optimised also in a debug build, which tests may look into: a minute reaches further.
    let fuzzer: SwiftSetting = .unsafeFlags(["-O", "-sanitize=fuzzer,address"])
    for target in package.targets where targets.contains(target.name) {
      target.swiftSettings?.append(fuzzer)
    }
    package.products.append(.executable(name: product, targets: [name]))
    package.targets.append(
      .executableTarget(
        name: name, dependencies: dependencies, path: path, exclude: exclude,
        swiftSettings: testSwift + [fuzzer],
        linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]))
  }
  fuzz(
    "osc-fuzz", "OSCFuzz", path: "Tests/Fuzz/OSCPackets", exclude: ["seeds.py"],
    ["OSCService", "OSCProtocol", "OSCWire", "MetronomeModel", "MusicalTime"],
    reads: ["OSCService", "OSCProtocol", "OSCWire"])
  fuzz(
    "score-fuzz", "ScoreFuzz", path: "Tests/Fuzz/ScoreFiles", exclude: ["corpus"],
    ["ScoreFormats", "MetronomeModel"], reads: ["ScoreFormats", "MetronomeModel", "MusicalTime"])
  fuzz(
    "foreign-fuzz", "ForeignFuzz", path: "Tests/Fuzz/ForeignBytes", exclude: ["corpus"],
    ["Web", "Companion", "SoundFiles", "OSCProtocol", "OSCWire", "MusicalTime"],
    reads: ["Web", "Companion", "SoundFiles"])
}
