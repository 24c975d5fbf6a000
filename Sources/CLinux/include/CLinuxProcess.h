// Signals, waiting and the terminal for the programs. No logic lives here.
#pragma once
#include <stdint.h>

/// Blocks SIGINT, SIGTERM and SIGHUP for this thread and those made from it, ignores SIGPIPE, and
/// returns a descriptor that becomes readable when one of them comes; -errno on failure.
int32_t clinux_signal_descriptor(void);

/// The next signal's number from that descriptor; 0 where there is none.
int32_t clinux_signal_next(int32_t descriptor);

/// A descriptor that becomes readable when the program that started this one ends; -errno where
/// there is none to wait for.
int32_t clinux_parent_descriptor(void);

/// One descriptor to wait for: what is wanted, and what came (POLLIN 1, POLLOUT 4, errors 8, 16).
typedef struct clinux_poll {
  int32_t descriptor;
  int16_t wanted;
  int16_t came;
} clinux_poll;

/// Waits for `count` descriptors, for at most `nanoseconds`, negative for ever; the number that
/// are ready, 0 after a signal or when the time is over, -errno on failure.
int32_t clinux_wait(clinux_poll *descriptors, int32_t count, int64_t nanoseconds);

/// Columns of the terminal behind a descriptor; 0 where it is none.
int32_t clinux_terminal_columns(int32_t descriptor);

/// Nanoseconds since 1970 of the wall clock: for OSC time tags and file names only.
int64_t clinux_wall_nanoseconds(void);

/// Random bytes from the kernel, as a number.
uint64_t clinux_random(void);

/// Resident and locked memory of this process in kilobytes, from /proc/self/status.
int64_t clinux_resident_kilobytes(void);

/// The highest real-time priority that this process may ask for; 0 for none, -errno on failure.
int64_t clinux_realtime_limit(void);
/// Bytes that this process may lock; -1 without a limit.
int64_t clinux_locked_limit(void);
/// Whether the kernel's wall clock is kept by a time source.
int32_t clinux_clock_is_synchronised(void);

/// Sends text to a datagram socket by its path, where a leading '@' stands for the abstract namespace
/// (sd_notify(3)); never waits. 0 or -errno.
int32_t clinux_notify(const char *path, const char *text);
