// Random bytes at what tactus-web and tactus companion read themselves, and at the reader of sounds, under libFuzzer.
// Tests/Fuzz/run builds and runs it; by hand:
//   TACTUS_FUZZ=1 swift build --scratch-path .build/fuzz --product foreign-fuzz
//   TACTUS_FUZZ_READER=web .build/fuzz/debug/foreign-fuzz -max_total_time=600 CORPUS
import Glibc

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// Called by libFuzzer: what it thought up, to the reader that was chosen.
@_cdecl("LLVMFuzzerTestOneInput")
func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  ForeignReader.chosen(Array(UnsafeBufferPointer(start: data, count: size)))
  return 0
}

var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
exit(runDriver(&count, &arguments, test))
