/// What is done for sinks that sleep while they are sent digital silence: Bluetooth speakers,
/// amplifiers with a gate, USB cards with auto-suspend. They swallow the first click.
///
/// - Thread: any
public enum KeepAwake: String, Equatable, Sendable, CaseIterable {
  case off
  /// Noise too soft to hear, all the time.
  case dither
  /// The same noise while music runs, and so long before the first click that a sink is awake.
  case leadIn = "lead-in"

  /// Level of the noise, in decibels of full scale at its peak: one step of 16 bits, 2^-15.
  public static let peakDecibels = -90.3
  /// Milliseconds from a Start to its first click with `leadIn`. Most Bluetooth sinks and gates open
  /// within a second.
  public static let leadInMilliseconds: Double = 1_500
}
