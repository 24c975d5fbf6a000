// Absolute deadlines that another thread can cut short.
#pragma once
#include <stdint.h>

/// A timer of CLOCK_MONOTONIC for poll; -1 and errno on failure.
int32_t clinux_timerfd(void);
/// Sets it to an absolute instant above 0, and forgets an earlier one. 0 or an errno.
int32_t clinux_timerfd_arm(int32_t descriptor, int64_t nanoseconds);
/// Waits until one of two descriptors is readable; negative ones are passed over, a negative
/// time-out is none. Bit 0 and bit 1 say which; 0 is the time-out or a signal.
int32_t clinux_poll_two(int32_t first, int32_t second, int32_t milliseconds);
