#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

int32_t clinux_watch_open(void) { return inotify_init1(IN_NONBLOCK | IN_CLOEXEC); }

int32_t clinux_watch_folder(int32_t descriptor, const char *path) {
  uint32_t mask = IN_CREATE | IN_DELETE | IN_ATTRIB | IN_MOVED_TO | IN_ONLYDIR;
  return inotify_add_watch(descriptor, path, mask) >= 0 ? 0 : errno;
}

int32_t clinux_watch_drain(int32_t descriptor) {
  char notices[4096];
  int32_t any = 0;
  while (read(descriptor, notices, sizeof notices) > 0) any = 1;
  return any;
}

void clinux_wait_readable(int32_t first, int32_t second, int32_t milliseconds) {
  // poll passes over negative descriptors.
  struct pollfd wanted[2] = {{.fd = first, .events = POLLIN}, {.fd = second, .events = POLLIN}};
  poll(wanted, 2, milliseconds);
}
