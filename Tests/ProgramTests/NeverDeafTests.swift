import Foundation
import OSCWire
import Testing

/// The real daemon against everything that does not answer: it plays on, and answers.
@Suite struct NeverDeafTests {
  static let presets: [String: String] = [
    "slow": #"{"tempo": 60}"#,
    "lamps": """
    {"tempo": 90, "beats": [{"host": "lamp.invalid", "port": 9, "profile": "gate",
      "address": "/a"}], "feedback": [{"host": "tablet.invalid", "port": 9}]}
    """,
    "bell": #"{"sounds": {"strong": {"name": "bell"}}}"#,
    "hung": #"{"tempo": 70}"#,
  ]

  static func withPresets<Result>(_ body: (String) throws -> Result) throws -> Result {
    try CommandRun.withFolder { folder in
      for kind in ["presets", "setlists", "maps", "sounds"] {
        try FileManager.default.createDirectory(
          atPath: "\(folder)/\(kind)", withIntermediateDirectories: true)
      }
      for (name, text) in presets {
        try text.write(
          toFile: "\(folder)/presets/\(name).json", atomically: true, encoding: .utf8)
      }
      try #"{"entries": [{"preset": "slow"}, {"preset": "bell"}]}"#.write(
        toFile: "\(folder)/setlists/gig.json", atomically: true, encoding: .utf8)
      return try body(folder)
    }
  }

  /// A library in which name lookup never ends, nor the opening of any file called `hung`.
  static func hangingLibrary(in folder: String) throws -> String {
    let source = """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <fcntl.h>
      #include <stdarg.h>
      #include <string.h>
      #include <unistd.h>
      struct addrinfo;
      int getaddrinfo(const char *a, const char *b, const struct addrinfo *c, struct addrinfo **d) {
        (void)a; (void)b; (void)c; (void)d;
        for (;;) pause();
      }
      static int opened(const char *name, const char *path, int flags, int mode) {
        if (strstr(path, "hung")) for (;;) pause();
        int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);
        return real(path, flags, mode);
      }
      int open(const char *path, int flags, ...) {
        va_list rest; va_start(rest, flags); int mode = va_arg(rest, int); va_end(rest);
        return opened("open", path, flags, mode);
      }
      int open64(const char *path, int flags, ...) {
        va_list rest; va_start(rest, flags); int mode = va_arg(rest, int); va_end(rest);
        return opened("open64", path, flags, mode);
      }
      """
    let path = "\(folder)/hanging.c"
    let library = "\(folder)/hanging.so"
    try source.write(toFile: path, atomically: true, encoding: .utf8)
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/gcc")
    compiler.arguments = ["-shared", "-fPIC", "-o", library, path, "-ldl"]
    try compiler.run()
    compiler.waitUntilExit()
    try #require(compiler.terminationStatus == 0)
    return library
  }

  @Test func `a name server and a disk that never answer hold up nobody`() throws {
    try Self.withPresets { folder in
      let library = try Self.hangingLibrary(in: folder)
      let daemon = try DaemonProcess.ready(
        [
          "120", "--folder", folder, "--feedback", "tablet.invalid:9",
          "--beat-target", "lamp.invalid:9,gate",
        ], preload: library)
      // Hosts that nobody finds are no fault of the preset.
      let loaded = try daemon.ask(OSCMessage("/tactus/preset", .string("lamps")))
      #expect(!loaded.map(\.address).contains("/tactus/error"), "\(loaded)")
      #expect(try daemon.ask(OSCMessage("/tactus/tempo")).last?.arguments.first == .float(90))
      daemon.send(OSCMessage("/tactus/sound/strong", .string("hung.wav")))
      daemon.send(OSCMessage("/tactus/preset", .string("hung")))
      daemon.newClient()
      // Others are answered while both files hang, and what they ask is done.
      let answers = try daemon.ask(OSCMessage("/tactus/tempo", .float(131)))
      #expect(!answers.contains { $0.address == "/tactus/error" }, "\(answers)")
      #expect(try daemon.ask(OSCMessage("/tactus/tempo")).last?.arguments.first == .float(131))
      _ = try daemon.ask(OSCMessage("/tactus/stop"))
      let transport = try daemon.ask(OSCMessage("/tactus/transport"))
      #expect(transport.last?.arguments.first == .string("stopped"))
      #expect(daemon.end(by: SIGTERM) == 0)
    }
  }

  @Test func `a stopped terminal loses status lines and nothing else`() throws {
    var main: Int32 = -1
    var side: Int32 = -1
    try #require(openpty(&main, &side, nil, nil, nil) == 0)
    defer { close(main) }
    let terminal = FileHandle(fileDescriptor: side, closeOnDealloc: true)
    let port = Int.random(in: 20_000..<30_000)
    let daemon = try DaemonProcess(
      ["120", "--device", "none", "--no-midi", "--no-discovery", "--osc-port", "\(port)"],
      terminal: terminal)
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while !text.contains("OSC on port") {
      let count = read(main, &buffer, buffer.count)
      try #require(count > 0)
      text += String(decoding: buffer[..<count], as: UTF8.self)
    }
    // Ctrl-S, and nobody reads either.
    try #require(tcflow(side, TCOOFF) == 0)
    daemon.talk(on: port)
    // Each changes the living line by some sixty bytes: more than a terminal takes.
    for number in 0..<200 {
      let tempo = Float(100 + number)
      let answers = try daemon.ask(OSCMessage("/tactus/tempo", .float(tempo)))
      #expect(!answers.contains { $0.address == "/tactus/error" })
    }
    #expect(daemon.end(by: SIGTERM) == 0)
  }

  @Test func `a pipe that nobody reads takes what it can; the rest is lost and counted`() throws {
    let daemon = try DaemonProcess.ready(["120"])
    // One page.
    try #require(fcntl(daemon.outputDescriptor, 1031, 4_096) >= 4_096)
    // Each prints a line of some sixty bytes: 4096 / 60 fit, 256 wait, and 500 are too many.
    for number in 0..<500 {
      let action = number % 2 == 0 ? "tap" : "start"
      _ = try daemon.ask(OSCMessage("/tactus/midi/learn", .string(action)))
    }
    let stats = try daemon.ask(OSCMessage("/tactus/stats"))
    let lost = stats.first { $0.address == "/tactus/stats/words/lost" }
    guard case .int64(let count)? = lost?.arguments.first else {
      Issue.record("no count in \(stats)")
      return
    }
    #expect(count > 0)
    #expect(daemon.end(by: SIGTERM) == 0)
  }

  @Test func `a process that was stopped for a second sends no beat of the past`() throws {
    let daemon = try DaemonProcess.ready(["300"])
    _ = try daemon.ask(OSCMessage("/tactus/subscribe", .int32(0), .string("beat")))
    kill(daemon.process.processIdentifier, SIGSTOP)
    // Five beats a second.
    usleep(1_500_000)
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let end = Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    kill(daemon.process.processIdentifier, SIGCONT)
    let stats = try daemon.ask(OSCMessage("/tactus/stats"))
    #expect(stats.contains { $0.address == "/tactus/stats/beats/overdue" })
    var late = 0
    for _ in 0..<10 {
      for message in try daemon.receive() + stats where message.address == "/tactus/beat" {
        // The last argument is the instant; what had been announced before the stop has come.
        guard case .int64(let due)? = message.arguments.last else { continue }
        if due < end - 1_300_000_000 { continue }
        if due < end - 150_000_000 { late += 1 }
      }
    }
    #expect(late == 0)
  }
}
