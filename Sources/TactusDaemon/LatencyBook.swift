internal import ALSAAudio
internal import ALSASequencer
internal import Conductor
internal import Glibc
internal import MetronomeModel
internal import OSCProtocol
internal import OSCWire
internal import RealtimeHost
internal import ScoreFormats

/// The latencies that were measured, and the one in force.
///
/// - Thread: control
struct LatencyBook {
  var records: [CalibrationRecord] = []
  var inForce: CalibrationRecord?
  var routes = RouteGuard()
  /// The input as it was last open.
  var inputEnd: AudioRoute.End?
  /// What the outputs have been told, in nanoseconds.
  var appliedNanoseconds: Int64 = 0
  var isRead = false
}

extension ListenRig {
  /// Earlier results, read by a worker.
  func readResults() {
    let store = settings.results
    _ = control.workshop.files.submit {
      let machine = MachineName.read()
      do throws(StoreError) {
        let records = try store.load()
        return .done { $0.listen?.adopt(records, machine: machine, problem: nil) }
      } catch {
        let problem = error.description
        return .done { $0.listen?.adopt([], machine: machine, problem: problem) }
      }
    }
  }

  private func adopt(_ records: [CalibrationRecord], machine: String, problem: String?) {
    if let problem { control.say("\(problem): measured latencies are not used", isWarning: true) }
    let own = records.filter { $0.machine == machine }
    if own.count < records.count {
      control.say(
        "'\(settings.results.path)' holds latencies of another machine: they are not used",
        isWarning: true)
    }
    latency.records = own
    latency.isRead = true
  }

  /// Takes up what was measured for an output that has just been opened.
  func adopt(_ output: AudioRoute.End) {
    guard latency.isRead, latency.inForce == nil else { return }
    let fitting = latency.records.last {
      $0.route.output == output && $0.route.input.device == settings.capture.device
    }
    guard let fitting else { return }
    use(fitting)
    control.say("latency: \(ListenRig.text(fitting.outputMilliseconds)) ms, measured earlier")
  }

  func use(_ record: CalibrationRecord) {
    latency.inForce = record
    latency.inputEnd = record.route.input
    _ = latency.routes.handle(.measured(record.route))
    publishLatency()
    applyLatency()
  }

  /// Clock, beats and lamps move to what is heard: later at once, earlier only while nothing plays. So
  /// no beat can change places with the one before it. Pulses cannot either way: a port approaches an
  /// earlier instant by half an interval at a time.
  func applyLatency() {
    let milliseconds = latency.inForce?.outputMilliseconds ?? 0
    let wanted = Int64((min(max(milliseconds, 0), 1_000) * 1e6).rounded())
    let applied = latency.appliedNanoseconds
    guard wanted > applied || (wanted < applied && !control.conductor.state.isRunning) else {
      return
    }
    latency.appliedNanoseconds = wanted
    control.outputLatencyNanoseconds = wanted
    control.midi?.output.setLatency(nanoseconds: wanted)
  }

  /// Keeps a result for its route.
  func keep(_ record: CalibrationRecord) {
    let store = settings.results
    latency.records = latency.records.filter { $0.route != record.route } + [record]
    let isTaken = control.workshop.files.submit {
      var record = record
      record.machine = MachineName.read()
      do throws(StoreError) {
        _ = try store.keep(record)
        return .done { _ in }
      } catch {
        let text = error.description
        return .done { $0.say("the latency is in force, but not kept: \(text)", isWarning: true) }
      }
    }
    if !isTaken { control.say("the latency is in force, but not kept", isWarning: true) }
  }

  func forget(_ number: Int, _ request: UInt32) throws(Refusal) {
    guard !latency.records.isEmpty else {
      throw Refusal(.state, "no latency has been measured: there is nothing to forget")
    }
    guard (0...latency.records.count).contains(number) else {
      throw Refusal(
        .value, "there is no calibration \(number): there are 1 to \(latency.records.count)")
    }
    if number == 0 {
      latency.records = []
    } else {
      latency.records.remove(at: number - 1)
    }
    if let used = latency.inForce, !latency.records.contains(used) {
      latency.inForce = nil
      latency.inputEnd = nil
      report(latency.routes.handle(.forgotten))
      applyLatency()
    }
    let store = settings.results
    let left = latency.records
    let isTaken = control.workshop.files.submit {
      do throws(StoreError) {
        // Those of other machines go with them: nobody here can use them.
        try store.save(left)
        return .done { $0.gateway?.accepted(request) }
      } catch {
        let refusal = Refusal(.storage, error.description)
        return .done { $0.gateway?.refused(request, refusal) }
      }
    }
    if !isTaken { throw Refusal(.storage, "too many files wait already, try again later") }
    publishLatency()
  }

  /// Output and round trip in ms, and whether they hold.
  func publishLatency() {
    let record = latency.inForce
    control.gateway?.publish(
      OSCMessage(
        "/tactus/latency", .float(Float(record?.outputMilliseconds ?? 0)),
        .float(Float(record?.roundTripMilliseconds ?? 0)),
        .string(record == nil ? "unknown" : record?.verdict ?? ""),
        .string(latency.routes.standing.word)))
  }

  /// Route, round trip, output share, spread and date, a line each.
  var calibrationTexts: [String] {
    latency.records.enumerated().map { index, record in
      let mark = record == latency.inForce ? " (in force, \(latency.routes.standing.word))" : ""
      return "\(index + 1)  \(record.route)  round trip "
        + "\(ListenRig.text(record.roundTripMilliseconds)) ms, output "
        + "\(ListenRig.text(record.outputMilliseconds)) ms, spread "
        + "\(ListenRig.text(record.spreadMilliseconds ?? record.madMilliseconds)) ms, "
        + "\(record.verdict), \(DateText.text(record.measuredAt))\(mark)"
    }
  }

  static func text(_ milliseconds: Double) -> String {
    let hundredths = Int((milliseconds * 100).rounded())
    let size = abs(hundredths)
    return "\(hundredths < 0 ? "-" : "")\(size / 100).\(size % 100 < 10 ? "0" : "")\(size % 100)"
  }
}

/// What tells this machine from others.
enum MachineName {
  /// systemd's machine id; empty where there is none.
  static func read() -> String {
    let descriptor = unsafe open("/etc/machine-id", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
    return String(
      decoding: bytes.prefix(max(count, 0)).prefix { $0 > 0x20 }, as: UTF8.self)
  }
}

/// Dates as people sort them.
enum DateText {
  /// - Parameter seconds: since 1970, UTC.
  static func text(_ seconds: Int64) -> String {
    // Days to a date after Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
    let days = seconds / 86_400 + 719_468
    let era = days / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shifted + 2) / 5 + 1
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return "\(year)-\(two(month))-\(two(day))"
  }
}
