#define _GNU_SOURCE
#include "CLinuxProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

int32_t clinux_signal_descriptor(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  signal(SIGPIPE, SIG_IGN);
  if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0) return -errno;
  int descriptor = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  return descriptor < 0 ? -errno : descriptor;
}

int32_t clinux_signal_next(int32_t descriptor) {
  struct signalfd_siginfo info;
  ssize_t count = read(descriptor, &info, sizeof info);
  return count == (ssize_t)sizeof info ? (int32_t)info.ssi_signo : 0;
}

int32_t clinux_parent_descriptor(void) {
  pid_t parent = getppid();
  // 1 adopts those whose parent has ended, and is also what starts services.
  if (parent == 1) return -ESRCH;
  int descriptor = (int)syscall(SYS_pidfd_open, parent, 0);
  return descriptor < 0 ? -errno : descriptor;
}

// The struct is pollfd under a name that Swift can import whatever the C library does.
_Static_assert(sizeof(clinux_poll) == sizeof(struct pollfd), "clinux_poll mirrors pollfd");

int32_t clinux_wait(clinux_poll *descriptors, int32_t count, int64_t nanoseconds) {
  struct timespec limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  int ready = ppoll((struct pollfd *)descriptors, (nfds_t)count,
                    nanoseconds < 0 ? NULL : &limit, NULL);
  if (ready < 0) return errno == EINTR ? 0 : -errno;
  return ready;
}

int32_t clinux_terminal_columns(int32_t descriptor) {
  struct winsize size;
  if (!isatty(descriptor)) return 0;
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

int64_t clinux_wall_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

uint64_t clinux_random(void) {
  uint64_t value = 0;
  if (getrandom(&value, sizeof value, 0) != (ssize_t)sizeof value)
    value = (uint64_t)clinux_wall_nanoseconds();
  return value;
}

int64_t clinux_resident_kilobytes(void) {
  // Opened once: opening may wait, reading what the kernel makes up does not.
  static _Atomic int file = -1;
  char text[4096];
  long long kilobytes = 0;
  if (file < 0) file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  ssize_t count = pread(file, text, sizeof text - 1, 0);
  if (count <= 0) return 0;
  text[count] = 0;
  const char *line = strstr(text, "VmRSS:");
  return line != NULL && sscanf(line, "VmRSS: %lld", &kilobytes) == 1 ? kilobytes : 0;
}

int64_t clinux_realtime_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_RTPRIO, &limit) != 0) return -errno;
  return limit.rlim_max > 99 ? 99 : (int64_t)limit.rlim_max;
}

int64_t clinux_locked_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_max == RLIM_INFINITY) return -1;
  return (int64_t)limit.rlim_max;
}

int32_t clinux_clock_is_synchronised(void) {
  struct timex state = {.modes = 0};
  return adjtimex(&state) != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}

int32_t clinux_notify(const char *path, const char *text) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(path);
  if (length == 0 || length >= sizeof address.sun_path) return -EINVAL;
  memcpy(address.sun_path, path, length);
  if (path[0] == '@') address.sun_path[0] = 0;
  int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -errno;
  ssize_t sent = sendto(descriptor, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&address,
                        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
  int32_t result = sent < 0 ? -errno : 0;
  close(descriptor);
  return result;
}
