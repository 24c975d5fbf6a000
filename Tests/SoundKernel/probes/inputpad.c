// inputpad: three input devices made through /dev/uinput, a game pad that rumbles, a keyboard with
// lamps and a page turner, and what is done to the first two with the instant at which it reaches the
// device (CLOCK_MONOTONIC).
//
//   inputpad READY      writes `rumble /dev/input/eventN` and `led inputN::capslock` into the file READY
//                       when all are there; SIGTERM ends it. SIGUSR1 steps on the page turner's
//                       right pedal (KEY_PAGEDOWN), SIGUSR2 on its left one (KEY_PAGEUP)
//
// Prints one line an event: instant ns, then `upload LENGTH STRONG WEAK` (of an effect: ms, magnitudes),
// `erase`, `rumble 1|0 EFFECT` (played, stopped) or `led CODE 1|0`. The device does not time an effect's
// length; it only tells what it is asked for.
//
// Exit status: 0, 1 when a device cannot be made, 2 for a wrong argument.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/uinput.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t ended;

static volatile sig_atomic_t right, left;

static void step(int signal) {
  if (signal == SIGUSR1) right++;
  else left++;
}

static void end(int signal) {
  (void)signal;
  ended = 1;
}

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int check(int result, const char *what) {
  if (result >= 0) return result;
  fprintf(stderr, "inputpad: %s: %s\n", what, strerror(errno));
  exit(1);
}

// Makes the device whose bits were set; leaves its name below /sys/class/input in `name`.
static void create(int device, const char *title, int effects, char *name, size_t room) {
  struct uinput_setup setup = {.id = {.bustype = BUS_USB, .vendor = 1, .product = 1}};
  strncpy(setup.name, title, sizeof setup.name - 1);
  setup.ff_effects_max = (uint32_t)effects;
  check(ioctl(device, UI_DEV_SETUP, &setup), "UI_DEV_SETUP");
  check(ioctl(device, UI_DEV_CREATE), "UI_DEV_CREATE");
  check(ioctl(device, UI_GET_SYSNAME(room), name), "UI_GET_SYSNAME");
}

// The device's node, /dev/input/eventN.
static void node(const char *name, char *path, size_t room) {
  char folder[128];
  snprintf(folder, sizeof folder, "/sys/class/input/%s", name);
  path[0] = 0;
  DIR *entries = opendir(folder);
  for (struct dirent *entry; entries && (entry = readdir(entries));)
    if (!strncmp(entry->d_name, "event", 5)) snprintf(path, room, "/dev/input/%s", entry->d_name);
  if (entries) closedir(entries);
  if (!path[0]) {
    fprintf(stderr, "inputpad: %s has no event node (module evdev)\n", name);
    exit(1);
  }
}

static void answer(int device, const struct input_event *event) {
  if (event->code == UI_FF_UPLOAD) {
    struct uinput_ff_upload upload = {.request_id = (uint32_t)event->value};
    check(ioctl(device, UI_BEGIN_FF_UPLOAD, &upload), "UI_BEGIN_FF_UPLOAD");
    printf("%lld upload %u %u %u\n", now(), upload.effect.replay.length,
      upload.effect.u.rumble.strong_magnitude, upload.effect.u.rumble.weak_magnitude);
    check(ioctl(device, UI_END_FF_UPLOAD, &upload), "UI_END_FF_UPLOAD");
  } else if (event->code == UI_FF_ERASE) {
    struct uinput_ff_erase erase = {.request_id = (uint32_t)event->value};
    check(ioctl(device, UI_BEGIN_FF_ERASE, &erase), "UI_BEGIN_FF_ERASE");
    printf("%lld erase\n", now());
    check(ioctl(device, UI_END_FF_ERASE, &erase), "UI_END_FF_ERASE");
  }
}

static void emit(int device, int type, int code, int value) {
  struct input_event event = {.type = (uint16_t)type, .code = (uint16_t)code, .value = value};
  check((int)write(device, &event, sizeof event), "write to the page turner");
}

// Down, and up again, as a foot does; the kernel stamps both.
static void press(int device, int code) {
  for (int value = 1; value >= 0; value--) {
    emit(device, EV_KEY, code, value);
    emit(device, EV_SYN, SYN_REPORT, 0);
  }
}

int main(int count, char **words) {
  if (count != 2) {
    fprintf(stderr, "usage: inputpad READY\n");
    return 2;
  }
  struct sigaction action = {.sa_handler = end};
  sigaction(SIGTERM, &action, NULL);
  struct sigaction stepping = {.sa_handler = step};
  sigaction(SIGUSR1, &stepping, NULL);
  sigaction(SIGUSR2, &stepping, NULL);
  struct sched_param priority = {.sched_priority = 60};
  sched_setscheduler(0, SCHED_FIFO, &priority);

  int devices[3];
  char pad[64], keyboard[64], turner[64], path[280], made[256];
  for (int i = 0; i < 3; i++)
    devices[i] = check(open("/dev/uinput", O_RDWR | O_NONBLOCK | O_CLOEXEC), "/dev/uinput (module uinput)");
  check(ioctl(devices[0], UI_SET_EVBIT, EV_KEY), "EV_KEY");
  check(ioctl(devices[0], UI_SET_KEYBIT, BTN_SOUTH), "BTN_SOUTH");
  check(ioctl(devices[0], UI_SET_EVBIT, EV_FF), "EV_FF");
  check(ioctl(devices[0], UI_SET_FFBIT, FF_RUMBLE), "FF_RUMBLE");
  create(devices[0], "Test pad", 16, pad, sizeof pad);
  check(ioctl(devices[1], UI_SET_EVBIT, EV_KEY), "EV_KEY");
  check(ioctl(devices[1], UI_SET_KEYBIT, KEY_CAPSLOCK), "KEY_CAPSLOCK");
  check(ioctl(devices[1], UI_SET_EVBIT, EV_LED), "EV_LED");
  check(ioctl(devices[1], UI_SET_LEDBIT, LED_CAPSL), "LED_CAPSL");
  create(devices[1], "Test keyboard", 0, keyboard, sizeof keyboard);
  check(ioctl(devices[2], UI_SET_EVBIT, EV_KEY), "EV_KEY");
  check(ioctl(devices[2], UI_SET_KEYBIT, KEY_PAGEDOWN), "KEY_PAGEDOWN");
  check(ioctl(devices[2], UI_SET_KEYBIT, KEY_PAGEUP), "KEY_PAGEUP");
  create(devices[2], "Test page turner", 0, turner, sizeof turner);
  node(pad, path, sizeof path);
  // Renamed into place: whoever sees the file sees all of it.
  snprintf(made, sizeof made, "%s.new", words[1]);
  FILE *ready = fopen(made, "w");
  if (!ready) check(-1, made);
  fprintf(ready, "rumble %s\nled %s::capslock\n", path, keyboard);
  fclose(ready);
  check(rename(made, words[1]), words[1]);

  while (!ended) {
    struct pollfd wanted[2] = {{.fd = devices[0], .events = POLLIN}, {.fd = devices[1], .events = POLLIN}};
    int ready = poll(wanted, 2, 20);
    for (; right > 0; right--) press(devices[2], KEY_PAGEDOWN);
    for (; left > 0; left--) press(devices[2], KEY_PAGEUP);
    if (ready <= 0) continue;
    for (int i = 0; i < 2; i++) {
      struct input_event event;
      while (read(devices[i], &event, sizeof event) == sizeof event) {
        if (event.type == EV_UINPUT) answer(devices[i], &event);
        else if (event.type == EV_FF) printf("%lld rumble %d %u\n", now(), event.value, event.code);
        else if (event.type == EV_LED) printf("%lld led %u %d\n", now(), event.code, event.value);
      }
    }
  }
  return 0;
}
