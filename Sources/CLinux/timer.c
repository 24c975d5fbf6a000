#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <poll.h>
#include <sys/timerfd.h>
#include <time.h>

int32_t clinux_timerfd(void) {
  return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
}

int32_t clinux_timerfd_arm(int32_t descriptor, int64_t nanoseconds) {
  struct itimerspec at = {
      .it_value = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000}};
  return timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &at, NULL) == 0 ? 0 : errno;
}

int32_t clinux_poll_two(int32_t first, int32_t second, int32_t milliseconds) {
  struct pollfd polled[2] = {{.fd = first, .events = POLLIN}, {.fd = second, .events = POLLIN}};
  if (poll(polled, 2, milliseconds) <= 0) return 0;
  return (polled[0].revents ? 1 : 0) | (polled[1].revents ? 2 : 0);
}
