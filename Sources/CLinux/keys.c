#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

int32_t clinux_key_open(const char *path) {
  int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return -errno;
  int clock = CLOCK_MONOTONIC;
  ioctl(descriptor, EVIOCSCLOCKID, &clock);
  return descriptor;
}

int32_t clinux_key_has(int32_t descriptor, int32_t code) {
  unsigned char bits[KEY_CNT / 8];
  memset(bits, 0, sizeof bits);
  if (code < 0 || code >= KEY_CNT) return 0;
  if (ioctl(descriptor, EVIOCGBIT(EV_KEY, sizeof bits), bits) < 0) return 0;
  return bits[code / 8] >> (code % 8) & 1;
}

void clinux_key_name(int32_t descriptor, char *name, int32_t size) {
  memset(name, 0, (size_t)size);
  if (size > 1) ioctl(descriptor, EVIOCGNAME(size - 1), name);
}

int32_t clinux_key_read(int32_t descriptor, int32_t *type, int32_t *code, int32_t *value,
                        int64_t *nanoseconds) {
  struct input_event event;
  ssize_t size = read(descriptor, &event, sizeof event);
  if (size != sizeof event) return size < 0 ? -errno : 0;
  *type = event.type;
  *code = event.code;
  *value = event.value;
  *nanoseconds = (int64_t)event.input_event_sec * 1000000000 + event.input_event_usec * 1000;
  return 1;
}

int32_t clinux_epoll(void) { return epoll_create1(EPOLL_CLOEXEC); }

void clinux_epoll_remove(int32_t epoll, int32_t descriptor) {
  epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, NULL);
}

int32_t clinux_epoll_add(int32_t epoll, int32_t descriptor) {
  struct epoll_event event = {.events = EPOLLIN, .data = {.fd = descriptor}};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 ? 0 : errno;
}
