#define _GNU_SOURCE
#include "CLinuxActuators.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

int32_t clinux_rumble_open(const char *path) {
  unsigned char features[FF_MAX / 8 + 1];
  int descriptor = open(path, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return -errno;
  memset(features, 0, sizeof features);
  if (ioctl(descriptor, EVIOCGBIT(EV_FF, sizeof features), features) < 0 ||
      !(features[FF_RUMBLE / 8] & (1 << (FF_RUMBLE % 8)))) {
    close(descriptor);
    return -ENOTSUP;
  }
  return descriptor;
}

int32_t clinux_rumble_upload(int32_t descriptor, uint16_t strong, uint16_t weak,
                             uint16_t milliseconds) {
  struct ff_effect rumble;
  memset(&rumble, 0, sizeof rumble);
  rumble.type = FF_RUMBLE;
  rumble.id = -1;
  rumble.u.rumble.strong_magnitude = strong;
  rumble.u.rumble.weak_magnitude = weak;
  rumble.replay.length = milliseconds;
  return ioctl(descriptor, EVIOCSFF, &rumble) < 0 ? -errno : rumble.id;
}

int32_t clinux_rumble_play(int32_t descriptor, int32_t effect, int32_t on) {
  struct input_event event;
  memset(&event, 0, sizeof event);
  event.type = EV_FF;
  event.code = (uint16_t)effect;
  event.value = on;
  return write(descriptor, &event, sizeof event) == (ssize_t)sizeof event ? 0 : -errno;
}

void clinux_rumble_erase(int32_t descriptor, int32_t effect) {
  ioctl(descriptor, EVIOCRMFF, effect);
}

int32_t clinux_open_for_writing(const char *path) {
  int descriptor = open(path, O_WRONLY | O_CLOEXEC);
  return descriptor < 0 ? -errno : descriptor;
}

int32_t clinux_write_at_start(int32_t descriptor, const char *text, int32_t length) {
  return pwrite(descriptor, text, (size_t)length, 0) == length ? 0 : -errno;
}

// What a strange program is started with; `actions` may be NULL.
static int32_t spawn(const posix_spawn_file_actions_t *actions, const char *const *arguments,
                     const char *const *environment) {
  posix_spawnattr_t attributes;
  sigset_t none;
  pid_t process;
  sigset_t usual;
  const struct sched_param ordinary = {.sched_priority = 0};
  sigemptyset(&none);
  // What is ignored here would be inherited: a shell could not wait for its own children.
  sigemptyset(&usual);
  sigaddset(&usual, SIGCHLD);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  // Real-time priority is for the beat's instant, not for what a stranger's program does at it.
  posix_spawnattr_setschedpolicy(&attributes, SCHED_OTHER);
  posix_spawnattr_setschedparam(&attributes, &ordinary);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                            POSIX_SPAWN_SETSCHEDULER);
  int code = posix_spawnp(&process, arguments[0], actions, &attributes, (char *const *)arguments,
                          environment ? (char *const *)environment : environ);
  posix_spawnattr_destroy(&attributes);
  return code == 0 ? (int32_t)process : -code;
}

int32_t clinux_spawn(const char *const *arguments, const char *const *environment) {
  return spawn(NULL, arguments, environment);
}

int32_t clinux_spawn_connected(const char *const *arguments, int32_t *channel) {
  posix_spawn_file_actions_t actions;
  int ends[2];
  *channel = -1;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) return -errno;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  int32_t process = spawn(&actions, arguments, NULL);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (process > 0)
    *channel = ends[0];
  else
    close(ends[0]);
  return process;
}

int32_t clinux_pidfd(int32_t process) {
  long descriptor = syscall(SYS_pidfd_open, process, 0);
  return descriptor < 0 ? -errno : (int32_t)descriptor;
}

int32_t clinux_reap(int32_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return -errno;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

typedef struct {
  const posix_spawn_file_actions_t *actions;
  const char *const *arguments;
  int32_t result;
} stranger;

// Runs on its own stack in our memory, while the thread that made it waits; no sanitizer knows it.
__attribute__((no_sanitize("address", "thread"))) static int between(void *context) {
  stranger *wanted = context;
  wanted->result = spawn(wanted->actions, wanted->arguments, NULL);
  return 0;
}

enum { between_stack = 128 * 1024 };

// The process id of the adopted program, or -errno.
static int32_t spawn_adopted(const posix_spawn_file_actions_t *actions,
                             const char *const *arguments) {
  stranger wanted = {actions, arguments, -ECHILD};
  char *stack = mmap(NULL, between_stack, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return -errno;
  // No signal at its end: nobody else who waits for children sees this one.
  pid_t process = clone(between, stack + between_stack, CLONE_VM | CLONE_VFORK, &wanted);
  int code = process < 0 ? errno : 0;
  // It has ended: CLONE_VFORK let us go on only then.
  while (process > 0 && waitpid(process, NULL, __WCLONE) < 0 && errno == EINTR) continue;
  munmap(stack, between_stack);
  if (code != 0) return -code;
  return wanted.result;
}

int32_t clinux_spawn_adopted(const char *const *arguments) {
  int32_t process = spawn_adopted(NULL, arguments);
  return process < 0 ? process : 0;
}

int32_t clinux_spawn_watched(const char *const *arguments, int32_t *ended) {
  int32_t process = spawn_adopted(NULL, arguments);
  *ended = process < 0 ? -1 : clinux_pidfd(process);
  if (*ended < 0) *ended = -1;
  return process < 0 ? process : 0;
}

int32_t clinux_spawn_read(const char *const *arguments) {
  posix_spawn_file_actions_t actions;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  int32_t result = spawn_adopted(&actions, arguments);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (result >= 0) return ends[0];
  close(ends[0]);
  return result;
}
