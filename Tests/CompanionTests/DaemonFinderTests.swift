import Glibc
import OSCProtocol
import OSCWire
import Testing

@testable import Companion

/// Against a program that says what `tactus-web --browse` would.
@Suite struct DaemonFinderTests {
  private let path = "/tmp/tactus-finder-\(getpid())-\(UInt32.random(in: 0 ... .max))"

  /// A shell script that is gone when the body ends.
  private func withFinder(
    _ script: String, named wanted: String? = nil, _ body: (DaemonFinder) throws -> Void
  ) throws {
    let text = "#!/bin/sh\n\(script)\n"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o700)
    try #require(descriptor >= 0)
    let written = write(descriptor, text, text.utf8.count)
    close(descriptor)
    defer { unlink(path) }
    try #require(written == text.utf8.count)
    var finder: DaemonFinder?
    while finder == nil {
      do throws(ActuatorError) { finder = try DaemonFinder(program: path, wanted: wanted) } catch {
        // Another test that starts a program right now holds the script open until it runs.
        try #require(error.code == ETXTBSY)
      }
    }
    try body(try #require(finder))
  }

  private let stage = AnnouncedDaemon(
    name: "Tactus", host: "stage.local", address: "10.0.0.5", port: 9_700, interface: 2,
    isIPv6: false)

  @Test func `what the program has seen is found`() throws {
    try withFinder("echo 'seen 2 4 9700 10.0.0.5 stage.local Tactus'; echo complete") { finder in
      #expect(finder.search(atMost: 20_000_000_000) == .one(stage))
      // It is followed already: only a change is news.
      #expect(finder.service() == nil)
    }
  }

  @Test func `it is asked to browse and nothing else`() throws {
    try withFinder("echo \"unavailable $# $1\"") { finder in
      #expect(finder.search(atMost: 20_000_000_000) == .none)
      #expect(finder.directory.reason == "1 --browse")
    }
  }

  @Test func `a program that ends without a word is a reason`() throws {
    try withFinder("exit 0") { finder in
      #expect(finder.search(atMost: 20_000_000_000) == .none)
      #expect(finder.directory.reason == "tactus-web has ended")
      #expect(finder.descriptor == -1)
    }
  }

  @Test func `a daemon that moves is news`() throws {
    let gate = path + "-gate"
    try #require(mkfifo(gate, 0o600) == 0)
    defer { unlink(gate) }
    try withFinder(
      "echo 'seen 2 4 9700 10.0.0.5 stage.local Tactus'; echo complete; read go <\(gate)\n"
        + "echo 'seen 2 4 9777 10.0.0.5 stage.local Tactus'"
    ) { finder in
      #expect(finder.search(atMost: 20_000_000_000) == .one(stage))
      // Opening it waits for the program to come there; it says nothing before.
      let go = open(gate, O_WRONLY | O_CLOEXEC)
      #expect(write(go, "\n", 1) == 1)
      close(go)
      var readable = pollfd(fd: finder.descriptor, events: Int16(POLLIN), revents: 0)
      #expect(poll(&readable, 1, 20_000) == 1)
      var moved = stage
      moved.port = 9_777
      #expect(finder.service() == moved)
    }
  }

  @Test func `a program that is not there is named`() {
    #expect(throws: ActuatorError(name: "/nowhere", code: ENOENT, help: "give the daemon's HOST")) {
      try DaemonFinder(program: "/nowhere", wanted: nil)
    }
  }
}
