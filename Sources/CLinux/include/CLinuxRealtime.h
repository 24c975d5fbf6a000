// Clock, threads, memory and wake-ups for the threads that must be on time.
#pragma once
#include <stdint.h>

/// CLOCK_MONOTONIC in nanoseconds.
int64_t clinux_monotonic_nanoseconds(void)
    __attribute__((swift_attr("@_noLocks"), swift_attr("@_noAllocation")));

/// Sleeps until an absolute instant of CLOCK_MONOTONIC. Returns 0 or an errno (EINTR: a signal).
int32_t clinux_sleep_until(int64_t nanoseconds);

/// An eventfd that does not block; -1 and errno on failure.
int32_t clinux_eventfd(void);
/// Adds one to an eventfd; 0 or an errno. EAGAIN means that it is already full, that is, awake.
int32_t clinux_eventfd_signal(int32_t descriptor);
/// Empties an eventfd; returns what it held, 0 for nothing.
uint64_t clinux_eventfd_drain(int32_t descriptor);

typedef void (*clinux_thread_body)(void *context);

/// Starts a joinable thread. Priority 0 is the ordinary scheduler; otherwise SCHED_FIFO at that
/// priority, set before the first instruction. Returns 0 or an errno (EPERM: not allowed).
int32_t clinux_thread_start(uint64_t *handle, const char *name, int32_t fifo_priority,
                            uint64_t stack_bytes, clinux_thread_body body, void *context);
int32_t clinux_thread_join(uint64_t handle);

/// Writes to so many bytes of the calling thread's stack, so that they are in memory.
void clinux_touch_stack(uint64_t bytes);

/// Wakes of ordinary threads are late by up to this; 50000 ns unless it is set.
void clinux_set_timer_slack(uint64_t nanoseconds);

/// mlockall of what is and what will be, each page from its first touch. 0 or an errno.
int32_t clinux_lock_memory(void);
/// One malloc arena for all threads: less memory, at the price of contention off the audio path.
void clinux_one_malloc_arena(void);

/// Soft limits of the process; UINT64_MAX is none.
uint64_t clinux_limit_rtprio(void);
uint64_t clinux_limit_memlock(void);

/// Page faults of the calling thread so far.
void clinux_thread_page_faults(int64_t *minor, int64_t *major);

void clinux_close(int32_t descriptor);
