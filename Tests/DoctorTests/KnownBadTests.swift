import Testing

@testable import Doctor

@Suite("Each known trouble of a machine is named, with what fixes it")
struct KnownBadTests {
  private let all = RealtimeCheck.Rights(priority: 95, lockedBytes: nil)

  @Test("without real-time rights the limits file is named")
  func rights() throws {
    let copy = try SystemCopy()
    let findings = RealtimeCheck.findings(
      RealtimeCheck.Rights(priority: 0, lockedBytes: 65_536), copy.files)
    #expect(findings["realtime-priority"]?.verdict == .bad)
    #expect(findings["realtime-priority"]?.fix?.contains("rtprio 95") == true)
    // 65536 bytes are 64 KB.
    #expect(findings["locked-memory"]?.fact.contains("64 KB") == true)
    let good = RealtimeCheck.findings(all, copy.files)
    #expect(good["realtime-priority"]?.verdict == .good && good["locked-memory"]?.verdict == .good)
    // The audio thread alone would fit below 80, the MIDI thread above it would not.
    let low = RealtimeCheck.findings(
      RealtimeCheck.Rights(priority: 20, lockedBytes: nil), copy.files)
    #expect(low["realtime-priority"]?.verdict == .warning)
  }

  @Test("a processor that saves power is a warning, one without a governor is none")
  func governor() throws {
    let cpu = "/sys/devices/system/cpu"
    let copy = try SystemCopy([
      "\(cpu)/cpu0/cpufreq/scaling_governor": "powersave\n", "\(cpu)/cpufreq/x": "",
    ])
    #expect(RealtimeCheck.findings(all, copy.files)["cpu-governor"]?.verdict == .warning)
    try copy.put("\(cpu)/cpu0/cpufreq/scaling_governor", "performance\n")
    #expect(RealtimeCheck.findings(all, copy.files)["cpu-governor"]?.verdict == .good)
    #expect(RealtimeCheck.findings(all, try SystemCopy().files)["cpu-governor"] == nil)
  }

  @Test(
    "the kernel's preemption is read from what it says of itself",
    arguments: [
      ("Linux version 6.1.0 #1 SMP PREEMPT_DYNAMIC Debian", "quiet", Finding.Verdict.warning),
      ("Linux version 6.1.0 #1 SMP PREEMPT_DYNAMIC Debian", "quiet preempt=full", .good),
      ("Linux version 6.1.0-rt #1 SMP PREEMPT_RT Debian", "quiet", .good),
      ("Linux version 6.6.31+rpt-rpi-v8 #1 SMP PREEMPT Debian", "", .good),
      ("Linux version 5.10 #1 SMP Debian", "", .warning),
    ])
  func preemption(version: String, line: String, verdict: Finding.Verdict) throws {
    let copy = try SystemCopy(["/proc/version": version + "\n", "/proc/cmdline": line + "\n"])
    #expect(RealtimeCheck.findings(all, copy.files)["kernel-preemption"]?.verdict == verdict)
  }

  @Test("under-voltage of a Raspberry Pi names the power supply, heat the air")
  func power() throws {
    let path = "/sys/devices/platform/soc/soc:firmware/get_throttled"
    let copy = try SystemCopy([path: "0x50005\n"])
    // Bits 0 and 2 now, 16 and 18 since boot.
    let now = RealtimeCheck.findings(all, copy.files)["power"]
    #expect(now?.verdict == .bad && now?.fact == "now: under-voltage, throttled")
    #expect(now?.fix?.contains("power supply") == true)
    try copy.put(path, "0x80000\n")
    let hot = RealtimeCheck.findings(all, copy.files)["power"]
    #expect(hot?.verdict == .warning && hot?.fix?.contains("heat sink") == true)
    try copy.put(path, "0x0\n")
    #expect(RealtimeCheck.findings(all, copy.files)["power"]?.verdict == .good)
  }

  private let twoCards = [
    "/proc/asound/cards": """
     0 [vc4hdmi0       ]: vc4-hdmi - vc4-hdmi-0
                          vc4-hdmi-0
     1 [Device         ]: USB-Audio - USB Audio Device
                          C-Media USB Audio Device at usb-1

    """,
    "/proc/asound/pcm": """
    00-00: MAI PCM i2s-hifi-0 : MAI PCM : playback 1
    01-00: USB Audio : USB Audio : playback 1 : capture 1

    """,
  ]

  @Test("HDMI as the first card names the other one, no card at all is bad")
  func cards() throws {
    let copy = try SystemCopy(twoCards)
    let finding = SoundCheck.findings(copy.files)["sound-card"]
    #expect(finding?.verdict == .warning)
    #expect(finding?.fix == "name the other: tactusd --device hw:CARD=Device")
    #expect(SoundCheck.findings(try SystemCopy().files)["sound-card"]?.verdict == .bad)
  }

  @Test("a card that another program plays on is named with that program")
  func busy() throws {
    let copy = try SystemCopy(twoCards)
    try copy.put(
      "/proc/asound/card1/pcm0p/sub0/status", "state: RUNNING\nowner_pid   : 812\n")
    try copy.put("/proc/812/comm", "pipewire\n")
    let finding = SoundCheck.findings(copy.files)["card-in-use"]
    #expect(finding?.fact == "Device is played by pipewire (process 812)")
    try copy.put("/proc/812/comm", "tactusd\n")
    #expect(SoundCheck.findings(copy.files)["card-in-use"] == nil)
  }

  @Test("a sequencer that is not there, a coarse timer and another sender of clock are named")
  func sequencer() throws {
    let copy = try SystemCopy([
      "/proc/asound/timers": "G0: system timer : 4000.000us (10000000 ticks)\n",
      "/proc/asound/seq/clients": """
      Client   0 : "System" [Kernel]
      Client 130 : "jack_midi_clock" [User Legacy]

      """,
    ])
    let findings = SoundCheck.findings(copy.files)
    #expect(findings["midi-sequencer"]?.fix?.contains("modprobe snd-seq") == true)
    #expect(findings["sequencer-timer"]?.verdict == .warning)
    #expect(findings["other-clock"]?.fact.contains("'jack_midi_clock'") == true)
    try copy.put("/dev/snd/seq", "")
    try copy.put("/proc/asound/timers", "G3: HR timer : 0.001us\n")
    let good = SoundCheck.findings(copy.files)
    #expect(good["midi-sequencer"]?.verdict == .good && good["sequencer-timer"]?.verdict == .good)
  }

  @Test("a receiver that is sent to by another program too is named with it")
  func shared() throws {
    let copy = try SystemCopy([
      "/proc/asound/seq/clients": """
      Client info
      Client   0 : "System" [Kernel Legacy]
      Client  24 : "TR-8S" [Kernel Legacy]
        Port   0 : "TR-8S MIDI 1" (RWeX) [In/Out]
      Client 128 : "Tactus" [User Legacy]
        Port   0 : "Clock" (R-e-) [In]
          Connecting To: 24:0, 28:0[r:0]
      Client 131 : "Ableton" [User Legacy]
        Port   0 : "out" (R-e-) [In]
          Connecting To: 24:0[real:0]

      """
    ])
    let finding = SoundCheck.findings(copy.files)["other-clock"]
    #expect(finding?.fact == "TR-8S (24:0) is sent to by Tactus and by 'Ableton'")
    #expect(finding?.fix?.contains("aconnect -d") == true)
  }

  @Test("a sound server that `default` needs and that does not run is bad")
  func server() throws {
    let copy = try SystemCopy(twoCards)
    func finding() -> Finding? {
      SoundServerCheck.findings(copy.files, user: 1000)["sound-server"]
    }
    #expect(finding() == nil)
    try copy.put("/usr/share/alsa/alsa.conf.d/99-pipewire-default.conf", "")
    #expect(finding()?.verdict == .bad)
    #expect(finding()?.fix?.contains("hw:CARD=NAME") == true)
    try copy.put("/run/user/1000/pipewire-0", "")
    #expect(finding()?.verdict == .good)
    #expect(finding()?.fact.hasPrefix("PipeWire runs") == true)
  }

  @Test("how to find out whether the first click is swallowed is told where a card can play")
  func sleeping() throws {
    let copy = try SystemCopy(twoCards)
    let finding = SoundServerCheck.findings(copy.files, user: 0)["first-click"]
    #expect(finding?.verdict == .unknown)
    #expect(finding?.fix?.contains("--keep-awake dither") == true)
    #expect(finding?.fact.contains("Bluetooth") == false)
    try copy.put("/sys/class/bluetooth/hci0/address", "")
    #expect(
      SoundServerCheck.findings(copy.files, user: 0)["first-click"]?.fact.contains("Bluetooth")
        == true)
    #expect(SoundServerCheck.findings(try SystemCopy().files, user: 0).isEmpty)
  }

  @Test("a port that another program holds is named with it, our own is well")
  func ports() throws {
    // 9700 is 25E4 in hexadecimal.
    let line =
      "  312: 00000000:25E4 00000000:0000 07 00000000:00000000 00:00000000 00000000  0 0 4711 2"
    let copy = try SystemCopy(["/proc/net/udp": "  sl  local_address\n\(line)\n"])
    #expect(
      NetworkCheck.findings(copy.files, oscPort: 9700, webPort: 9780)["osc-port"]?.verdict
        == .unknown)
    try copy.link("/proc/99/fd/5", to: "socket:[4711]")
    try copy.put("/proc/99/comm", "otherapp\n")
    let taken = NetworkCheck.findings(copy.files, oscPort: 9700, webPort: 9780)
    #expect(taken["osc-port"]?.verdict == .bad)
    #expect(taken["osc-port"]?.fact == "port 9700 is taken by otherapp")
    #expect(taken["web-port"]?.verdict == .good)
    try copy.put("/proc/99/comm", "tactusd\n")
    #expect(
      NetworkCheck.findings(copy.files, oscPort: 9700, webPort: 9780)["osc-port"]?.verdict == .good)
  }

  @Test("firewalls and a missing avahi-daemon come with the commands for both ports")
  func network() throws {
    let copy = try SystemCopy(["/etc/ufw/ufw.conf": "# x\nENABLED=yes\n"])
    let findings = NetworkCheck.findings(copy.files, oscPort: 9700, webPort: 9780)
    #expect(findings["firewall"]?.fix?.contains("ufw allow 9700") == true)
    #expect(findings["avahi"]?.verdict == .warning)
    try copy.put("/etc/ufw/ufw.conf", "ENABLED=no\n")
    try copy.put("/run/avahi-daemon/socket", "")
    let good = NetworkCheck.findings(copy.files, oscPort: 9700, webPort: 9780)
    #expect(good["firewall"] == nil && good["avahi"]?.verdict == .good)
  }

  @Test("a full or read-only disk, a free clock and a service without linger are warnings")
  func house() throws {
    let copy = try SystemCopy()
    var facts = HouseCheck.Facts(
      freeBytes: 50 << 20, isWritable: true, folder: "/x", isClockSynchronised: false, user: "ann",
      home: "/home/ann")
    let findings = HouseCheck.findings(facts, copy.files)
    #expect(findings["disk"]?.fact == "50 MB free at /x" && findings["disk"]?.verdict == .warning)
    #expect(findings["wall-clock"]?.verdict == .warning)
    facts.isWritable = false
    #expect(HouseCheck.findings(facts, copy.files)["disk"]?.fix?.contains("--folder") == true)
    try copy.put("/home/ann/.config/systemd/user/default.target.wants/tactusd.service", "")
    #expect(
      HouseCheck.findings(facts, copy.files)["service"]?.fix == "loginctl enable-linger ann")
    try copy.put("/var/lib/systemd/linger/ann", "")
    #expect(HouseCheck.findings(facts, copy.files)["service"]?.verdict == .good)
    try copy.put("/etc/systemd/system/multi-user.target.wants/tactusd.service", "")
    try copy.put("/run/user/1000/pipewire-0", "")
    #expect(
      HouseCheck.findings(facts, copy.files)["service"]?.fact.contains("PipeWire") == true)
  }

  @Test("a file without end or with rubbish in it traps nothing")
  func rubbish() throws {
    let rubbish = String(repeating: "[", count: 300_000) + "]\u{0}-: owner_pid : x\n"
    let copy = try SystemCopy([
      "/proc/asound/cards": rubbish, "/proc/asound/pcm": rubbish, "/proc/net/udp": rubbish,
      "/proc/asound/seq/clients": "Client \"\nClient \"x\n",
      "/sys/devices/platform/soc/soc:firmware/get_throttled": "0xZZ\n",
    ])
    #expect(RealtimeCheck.findings(all, copy.files)["power"] == nil)
    #expect(SoundCheck.findings(copy.files)["sound-card"]?.verdict == .bad)
    #expect(
      NetworkCheck.findings(copy.files, oscPort: 1, webPort: 65_535)["osc-port"]?.verdict == .good)
  }
}
