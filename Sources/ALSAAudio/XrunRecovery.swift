internal import Glibc

/// What an error of a PCM call means for the stream.
///
/// Measured on real drivers: a pulled card shows itself as ENODEV, but also as EBADFD (USB,
/// blocking) or EIO (dmix, with a state that still reads running), often after a short write. So
/// everything that is not known to be mendable counts as a card that may be gone.
enum XrunRecovery: Equatable {
  /// Nothing happened: ask again when the device is ready.
  case retry
  /// The buffer ran empty: prepare, and join in again in phase.
  case prepare
  /// The machine slept: resume, or prepare where the driver cannot resume.
  case resume
  /// Close, and open again by name.
  case reopen

  /// - Parameter code: a negative errno.
  init(code: Int32) {
    switch -code {
    case EAGAIN, EINTR: self = .retry
    case EPIPE: self = .prepare
    case ESTRPIPE: self = .resume
    default: self = .reopen
    }
  }

  /// The error that a state stands for when the call itself reported none; 0 for a healthy state.
  static func code(for state: PCMState) -> Int32 {
    switch state {
    case .xrun: -EPIPE
    case .suspended: -ESTRPIPE
    case .disconnected: -ENODEV
    default: 0
    }
  }
}
