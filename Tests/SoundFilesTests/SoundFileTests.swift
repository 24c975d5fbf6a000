import Glibc
import MetronomeModel
import Testing

@testable import SoundFiles

private func write(_ writer: SoundFileWriter, _ samples: [Float]) throws {
  try samples.withUnsafeBufferPointer { try writer.write($0) }
}

@Suite("Sound files")
struct SoundFileTests {
  let folder = TemporaryFolder()

  @Test(
    "whole 16-bit values come back unchanged", arguments: [SoundFileFormat.Container.wav, .flac])
  func exactRoundTrip(container: SoundFileFormat.Container) throws {
    let values: [Int16] = [8_000, -8_000, 32_767, -32_768, 1, 0, -1, 12_345]
    let samples = values.map { Float($0) / 32_768 }
    let path = folder.file("x.\(container)")
    let writer = try SoundFileWriter(
      path: path, format: try SoundFileFormat(path: path, encoding: .pcm16), rate: 44_100,
      channels: 2)
    try write(writer, Array(samples[..<4]))
    try write(writer, Array(samples[4...]))
    try writer.close()
    let sound = try SoundFileReader.read(path: path, keepingSilence: true)
    #expect(sound == DecodedSound(samples: samples, channels: 2, rate: 44_100))
    // The magic numbers of both formats.
    let head = Array(folder.bytes("x.\(container)").prefix(4))
    #expect(head == Array((container == .wav ? "RIFF" : "fLaC").utf8))
  }

  @Test("24 bits and floating point keep what they can hold")
  func encodings() throws {
    // 2^-23 is the least step of 24 bits; a third needs floating point.
    let third = Float(1) / 3
    for (encoding, input, output) in [
      (SoundFileFormat.Encoding.pcm24, Float(0x1p-23), Float(0x1p-23)),
      (.float32, third, third), (.pcm16, 0x1p-17, 0),
    ] {
      let path = folder.file("e.wav")
      let writer = try SoundFileWriter(
        path: path, format: SoundFileFormat(.wav, encoding), rate: 48_000, channels: 1)
      try write(writer, [0.5, input])
      try writer.close()
      let sound = try SoundFileReader.read(path: path)
      #expect(sound.samples == [0.5, output])
    }
  }

  @Test("what passes full scale is held at its end")
  func clipping() throws {
    let path = folder.file("c.wav")
    let writer = try SoundFileWriter(
      path: path, format: SoundFileFormat(.wav, .pcm16), rate: 48_000, channels: 1)
    try write(writer, [2, -2, .infinity])
    try writer.close()
    let bytes = folder.bytes("c.wav")
    #expect(Array(bytes.suffix(6)) == [0xFF, 0x7F, 0x00, 0x80, 0xFF, 0x7F])
  }

  @Test("a WAV in a pipe has the head that the standard gives it")
  func stream() throws {
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    let writer = try SoundFileWriter(
      descriptor: ends[1], name: "-", format: try SoundFileFormat(path: "-", encoding: .pcm16),
      rate: 48_000, channels: 1, expectedFrames: 2)
    try write(writer, [0.5, -0.5])
    try writer.close()
    close(ends[1])
    var buffer = [UInt8](repeating: 0, count: 200)
    let got = read(ends[0], &buffer, buffer.count)
    close(ends[0])
    // +-0.5 is 16384: bytes 00 40 and 00 C0.
    #expect(Array(buffer[..<got]) == wavBytes(samples: [0x00, 0x40, 0x00, 0xC0]))
  }

  @Test(
    "a stream holds what a file holds", arguments: SoundFileFormat.Encoding.allCases)
  func streamEqualsFile(encoding: SoundFileFormat.Encoding) throws {
    let samples: [Float] = [0.1, -0.2, 0.3, 0.9999, -1, 0.00001]
    let target = open(folder.file("s.wav"), O_WRONLY | O_CREAT, 0o644)
    let format = SoundFileFormat(.wav, encoding)
    let stream = try SoundFileWriter(
      descriptor: target, name: "-", format: format, rate: 96_000, channels: 1, expectedFrames: 6)
    let file = try SoundFileWriter(
      path: folder.file("f.wav"), format: format, rate: 96_000, channels: 1)
    for writer in [stream, file] {
      try write(writer, samples)
      try writer.close()
    }
    close(target)
    let streamed = try SoundFileReader.read(path: folder.file("s.wav"), keepingSilence: true)
    let filed = try SoundFileReader.read(path: folder.file("f.wav"), keepingSilence: true)
    #expect(streamed == filed)
  }

  @Test("a FLAC in a pipe is whole")
  func flacStream() throws {
    let target = open(folder.file("s.flac"), O_WRONLY | O_CREAT, 0o644)
    let writer = try SoundFileWriter(
      descriptor: target, name: "-", format: SoundFileFormat(.flac, .pcm16), rate: 48_000,
      channels: 2, expectedFrames: 1)
    try write(writer, [0.25, -0.25])
    try writer.close()
    close(target)
    let sound = try SoundFileReader.read(path: folder.file("s.flac"))
    #expect(sound.samples == [0.25, -0.25])
  }

  @Test("a stream that does not keep the length it announced is an error")
  func announcedLength() throws {
    let target = open(folder.file("s.wav"), O_WRONLY | O_CREAT, 0o644)
    defer { close(target) }
    let short = try SoundFileWriter(
      descriptor: target, name: "-", format: SoundFileFormat(.wav, .pcm16), rate: 48_000,
      channels: 1, expectedFrames: 2)
    try write(short, [0])
    #expect(throws: SoundFileError.wrongLength(file: "-", announced: 2, written: 1)) {
      try short.close()
    }
    let long = try SoundFileWriter(
      descriptor: target, name: "-", format: SoundFileFormat(.wav, .pcm16), rate: 48_000,
      channels: 1, expectedFrames: 1)
    #expect(throws: SoundFileError.wrongLength(file: "-", announced: 1, written: 2)) {
      try write(long, [0, 0])
    }
    // 2^31 stereo frames of 16 bits are 8 GiB.
    #expect(throws: SoundFileError.tooLongForStream(frames: 1 << 31)) {
      _ = try SoundFileWriter(
        descriptor: target, name: "-", format: SoundFileFormat(.wav, .pcm16), rate: 48_000,
        channels: 2, expectedFrames: 1 << 31)
    }
  }

  @Test("a WAV of more than 4 GiB is written as RF64")
  func longFile() throws {
    let path = folder.file("l.wav")
    let writer = try SoundFileWriter(
      path: path, format: SoundFileFormat(.wav, .pcm16), rate: 48_000, channels: 2,
      expectedFrames: 1 << 31)
    try write(writer, [0, 0])
    try writer.close()
    #expect(Array(folder.bytes("l.wav").prefix(4)) == Array("RF64".utf8))
  }

  @Test("silence more than 40 dB below the peak is taken off the head and reported")
  func leadingSilence() throws {
    // 320 / 32000 is -40 dB exactly.
    folder.write("a.wav", wavBytes(samples: pcm16([0, 319, -319, 320, 32_000, 0])))
    let sound = try SoundFileReader.read(path: folder.file("a.wav"))
    #expect(sound.skippedFrames == 3)
    #expect(sound.samples == [320, 32_000, 0].map { $0 / 32_768 })
    let kept = try SoundFileReader.read(path: folder.file("a.wav"), keepingSilence: true)
    #expect(kept.skippedFrames == 0 && kept.frameCount == 6)
  }

  @Test("AIFF is read as well")
  func aiff() throws {
    // FORM AIFF: COMM with 1 channel, 2 frames, 16 bits, 44100 as an 80-bit extended
    // (exponent 0x400E, mantissa 0xAC44), then SSND with offset and block size 0.
    var bytes: [UInt8] = Array("FORM".utf8) + [0, 0, 0, 50]
    bytes += Array("AIFFCOMM".utf8) + [0, 0, 0, 18]
    bytes += [0, 1, 0, 0, 0, 2, 0, 16, 0x40, 0x0E, 0xAC, 0x44, 0, 0, 0, 0, 0, 0]
    bytes += Array("SSND".utf8)
    bytes += [0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x00, 0xC0, 0x00]
    folder.write("a.aiff", bytes)
    let sound = try SoundFileReader.read(path: folder.file("a.aiff"))
    #expect(sound == DecodedSound(samples: [0.5, -0.5], channels: 1, rate: 44_100))
  }

  @Test("files beyond the limits are refused by name and value")
  func limits() {
    func failure(_ bytes: [UInt8]) -> SoundFileError? {
      folder.write("f.wav", bytes)
      do {
        _ = try SoundFileReader.read(path: folder.file("f.wav"))
        return nil
      } catch { return error }
    }
    let file = folder.file("f.wav")
    let one = pcm16([1_000, 1_000, 1_000])
    #expect(failure(wavBytes(samples: one, channels: 3)) == .channels(file: file, 3))
    #expect(failure(wavBytes(samples: one, rate: 1_000)) == .rate(file: file, 1_000))
    #expect(failure(wavBytes(samples: one, rate: 1_000_000)) == .rate(file: file, 1_000_000))
    // Format 6 is A-law.
    #expect(failure(wavBytes(samples: one, format: 6, bits: 8)) == .kind(file: file))
    #expect(failure(wavBytes(samples: pcm16([0, 0]))) == .silent(file: file))
    #expect(failure(wavBytes(samples: [])) == .empty(file: file))
    let eleven = pcm16([Int16](repeating: 500, count: 44_000))
    #expect(
      failure(wavBytes(samples: eleven, rate: 4_000)) == .length(file: file, limitSeconds: 10))
    // NaN as floating point.
    #expect(
      failure(wavBytes(samples: [0, 0, 0xC0, 0x7F], format: 3, bits: 32))
        == .notFinite(file: file))
  }

  @Test("a header that announces more than there is costs no memory")
  func hostileLength() throws {
    folder.write(
      "h.wav", wavBytes(samples: pcm16([9_000, 8_000]), announced: 0x7FFF_FF00))
    let sound = try SoundFileReader.read(path: folder.file("h.wav"))
    #expect(sound.frameCount == 2)
  }

  @Test("garbage and truncated files end in a sound or an error, never in a trap")
  func garbage() {
    var random = SplitMix64(seed: 1)
    let whole = wavBytes(samples: pcm16([1_000, 2_000, 3_000]))
    for round in 0..<200 {
      var bytes = Array(whole.prefix(round))
      if round >= whole.count {
        for _ in 0..<4 {
          bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
        }
      }
      folder.write("g.wav", bytes)
      _ = try? SoundFileReader.read(path: folder.file("g.wav"))
    }
    #expect(throws: SoundFileError.self) {
      _ = try SoundFileReader.read(path: folder.file("missing.wav"))
    }
  }

  @Test("a FLAC with flipped bits ends in a sound within the limits or an error")
  func mutatedFLAC() throws {
    let writer = try SoundFileWriter(
      path: folder.file("m.flac"), format: SoundFileFormat(.flac, .pcm16), rate: 48_000,
      channels: 2)
    try write(writer, (0..<2_000).map { Float($0 % 77) / 100 })
    try writer.close()
    let whole = folder.bytes("m.flac")
    var random = SplitMix64(seed: 9)
    for round in 0..<300 {
      var bytes = whole
      for _ in 0...(round % 5) {
        bytes[Int(random.next() % UInt64(bytes.count))] ^= UInt8(1 << (random.next() % 8))
      }
      folder.write("m.flac", bytes)
      guard let sound = try? SoundFileReader.read(path: folder.file("m.flac")) else { continue }
      #expect(Limits.soundChannels.contains(sound.channels))
      #expect(Limits.soundRate.contains(sound.rate))
      #expect(Double(sound.frameCount) <= Limits.soundSeconds * Double(sound.rate))
      #expect(sound.samples.allSatisfy { $0.isFinite })
    }
  }

  @Test("a sine keeps its frequency and level from 44.1 to 48 kHz")
  func resampling() throws {
    let sine = (0..<44_100).map { Float(0.5 * sin(2 * Double.pi * 1000 * Double($0) / 44_100)) }
    let sound = DecodedSound(samples: sine, channels: 1, rate: 44_100)
    let output = try Resampler.convert(sound, to: 48_000, semitones: 0, file: "sine")
    #expect(abs(output.count - 48_000) <= 1)
    for n in 2_000..<46_000 {
      let exact = 0.5 * sin(2 * Double.pi * 1000 * Double(n) / 48_000)
      // -90 dB of the sine.
      #expect(abs(Double(output[n]) - exact) < 0.5 * 3.2e-5)
    }
    let same = try Resampler.convert(sound, to: 44_100, semitones: 0, file: "sine")
    #expect(same == sine)
    // An octave up halves the length.
    let up = try Resampler.convert(sound, to: 44_100, semitones: 12, file: "sine")
    #expect(abs(up.count - 22_050) <= 1)
  }

  @Test("the ending of a name decides what is written")
  func endings() throws {
    #expect(try SoundFileFormat(path: "a/b.FLAC") == SoundFileFormat(.flac, .pcm24))
    #expect(try SoundFileFormat(path: "-") == SoundFileFormat(.wav, .pcm24))
    #expect(try SoundFileFormat(path: "x.wav", encoding: .float32).encoding == .float32)
    #expect(SoundFileFormat(.flac, .float32).encoding == .pcm24)
    #expect(throws: SoundFileError.outputFormat("x.mp3")) { try SoundFileFormat(path: "x.mp3") }
    #expect(throws: SoundFileError.outputFormat("wav")) { try SoundFileFormat(path: "wav") }
  }
}

@Suite("Whole samples")
struct SampleQuantizerTests {
  func pcm16(_ samples: [Float]) -> [Int16] {
    var output = [Int16](repeating: 0, count: samples.count)
    samples.withUnsafeBufferPointer { SampleQuantizer.pcm16($0, into: &output) }
    return output
  }

  func pcm24(_ samples: [Float]) -> [Int32] {
    var output = [Int32](repeating: 0, count: samples.count)
    samples.withUnsafeBufferPointer { SampleQuantizer.pcm24($0, into: &output) }
    return output.map { $0 >> 8 }
  }

  @Test("halves go to the even neighbour, others to the nearer one")
  func rounding() {
    let halves: [Float] = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49, 0.51, -0.51, -3.75]
    let expected = [0, 2, 2, 0, -2, -2, 0, 1, -1, -4]
    #expect(pcm16(halves.map { $0 / 32_768 }) == expected.map { Int16($0) })
    #expect(pcm24(halves.map { $0 / 8_388_608 }) == expected.map { Int32($0) })
  }

  @Test("the ends hold, and what is no number becomes the least")
  func ends() {
    let samples: [Float] = [1, -1, 2, -2, .infinity, -.infinity, .nan, 0, -0.0]
    #expect(
      pcm16(samples) == [32_767, -32_768, 32_767, -32_768, 32_767, -32_768, -32_768, 0, 0])
    #expect(
      pcm24(samples) == [
        8_388_607, -8_388_608, 8_388_607, -8_388_608, 8_388_607, -8_388_608, -8_388_608, 0, 0,
      ])
  }

  @Test("every 16-bit value is kept")
  func identity() {
    let values = (Int16.min...Int16.max).map { $0 }
    #expect(pcm16(values.map { Float($0) / 32_768 }) == values)
  }
}
