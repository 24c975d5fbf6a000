// Random bytes at everything that comes from the network, under libFuzzer. Build and run:
//   TACTUS_FUZZ=1 swift build --product osc-fuzz --scratch-path .build/fuzz
//   tactus osc list | Tests/Fuzz/OSCPackets/seeds.py CORPUS
//   SWIFT_BACKTRACE=enable=no .build/fuzz/debug/osc-fuzz -max_total_time=600 -max_len=4096 CORPUS
// The same at the socket of a daemon that plays: Tests/Benchmarks/osc-random.
import Glibc
import MetronomeModel
import MusicalTime

@testable import OSCProtocol
@testable import OSCService
@testable import OSCWire

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// The first byte chooses the way in, the rest is what arrives.
@_cdecl("LLVMFuzzerTestOneInput")
func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  guard let data, size > 0 else { return 0 }
  FuzzedServer.shared.take(
    Array(UnsafeBufferPointer(start: data + 1, count: size - 1)), kind: data[0])
  return 0
}

var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
exit(runDriver(&count, &arguments, test))
