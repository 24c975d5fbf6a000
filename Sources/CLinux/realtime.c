#define _GNU_SOURCE
#include "CLinux.h"

#include <alloca.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

int64_t clinux_monotonic_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int32_t clinux_sleep_until(int64_t nanoseconds) {
  if (nanoseconds < 0) return 0;
  struct timespec until = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

int32_t clinux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int32_t clinux_eventfd_signal(int32_t descriptor) {
  uint64_t one = 1;
  return write(descriptor, &one, sizeof one) == sizeof one ? 0 : errno;
}

uint64_t clinux_eventfd_drain(int32_t descriptor) {
  uint64_t count = 0;
  return read(descriptor, &count, sizeof count) == sizeof count ? count : 0;
}

struct start {
  clinux_thread_body body;
  void *context;
  char name[16];
};

static void *run(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
  pthread_setname_np(pthread_self(), start.name);
  start.body(start.context);
  return NULL;
}

int32_t clinux_thread_start(uint64_t *handle, const char *name, int32_t fifo_priority,
                            uint64_t stack_bytes, clinux_thread_body body, void *context) {
  struct start *start = calloc(1, sizeof *start);
  if (!start) return ENOMEM;
  start->body = body;
  start->context = context;
  strncpy(start->name, name, sizeof start->name - 1);

  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  int result = pthread_attr_setstacksize(&attributes, stack_bytes);
  if (result == 0 && fifo_priority > 0) {
    struct sched_param parameter = {.sched_priority = fifo_priority};
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
    result = pthread_attr_setschedparam(&attributes, &parameter);
  }
  pthread_t thread = 0;
  if (result == 0) result = pthread_create(&thread, &attributes, run, start);
  pthread_attr_destroy(&attributes);
  if (result != 0) free(start);
  *handle = (uint64_t)thread;
  return result;
}

int32_t clinux_thread_join(uint64_t handle) { return pthread_join((pthread_t)handle, NULL); }

void clinux_touch_stack(uint64_t bytes) {
  volatile char *stack = alloca(bytes);
  for (uint64_t at = 0; at < bytes; at += 4096) stack[at] = 0;
}

void clinux_set_timer_slack(uint64_t nanoseconds) { prctl(PR_SET_TIMERSLACK, nanoseconds); }

int32_t clinux_lock_memory(void) {
  return mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0 ? 0 : errno;
}

void clinux_one_malloc_arena(void) { mallopt(M_ARENA_MAX, 1); }

static uint64_t soft_limit(__rlimit_resource_t which) {
  struct rlimit limit;
  if (getrlimit(which, &limit) != 0) return 0;
  return limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : (uint64_t)limit.rlim_cur;
}

uint64_t clinux_limit_rtprio(void) { return soft_limit(RLIMIT_RTPRIO); }
uint64_t clinux_limit_memlock(void) { return soft_limit(RLIMIT_MEMLOCK); }

void clinux_thread_page_faults(int64_t *minor, int64_t *major) {
  struct rusage usage;
  memset(&usage, 0, sizeof usage);
  getrusage(RUSAGE_THREAD, &usage);
  *minor = usage.ru_minflt;
  *major = usage.ru_majflt;
}

void clinux_close(int32_t descriptor) { close(descriptor); }
