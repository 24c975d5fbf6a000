// clockprobe: writes down every event that an ALSA sequencer port sends, with the time of its
// arrival (CLOCK_MONOTONIC) and the time at which the kernel received it, and says how even the MIDI
// clock in it was. Nothing is written while it listens.
//
//   --name NAME      own client name (clockprobe); others may connect to its port 0
//   --from ADDRESS   connects itself to CLIENT[:PORT], a name or a number
//   --wait S         waits so long for ADDRESS to appear (10)
//   --ready FILE     made when it listens
//   --seconds S      ends after S seconds; --count N: after N clock pulses; --until-stop: 0.3 s after
//                    a Stop; SIGTERM ends it too
//   --skip N         leaves the first N pulses out of the figures (0)
//   --bpm B          the tempo that was asked for (default: the measured one)
//   --events FILE    one line an event: arrival ns, kernel ns, type, data
//   --stall MS       after the first pulse does not read for MS milliseconds (a slow receiver)
//
// Exit status: 0, 1 when the sequencer or ADDRESS cannot be had, 2 for a wrong argument.
#define _GNU_SOURCE
#include <alsa/asoundlib.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { capacity = 1 << 20, pulsesPerQuarter = 24, inputPool = 1000 };

typedef struct {
  int64_t arrival, kernel;
  uint8_t type;
  int32_t data[3];
} record_t;

static record_t *records;
static long recordCount, overrun;
static volatile sig_atomic_t ended;

static void end(int signal) {
  (void)signal;
  ended = 1;
}

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void check(int result, const char *call) {
  if (result >= 0) return;
  fprintf(stderr, "clockprobe: %s: %s\n", call, snd_strerror(result));
  exit(1);
}

static const char *typeName(int type) {
  static char other[32];
  switch (type) {
  case SND_SEQ_EVENT_START: return "start";
  case SND_SEQ_EVENT_CONTINUE: return "continue";
  case SND_SEQ_EVENT_STOP: return "stop";
  case SND_SEQ_EVENT_CLOCK: return "clock";
  case SND_SEQ_EVENT_SONGPOS: return "songpos";
  case SND_SEQ_EVENT_NOTEON: return "noteon";
  case SND_SEQ_EVENT_NOTEOFF: return "noteoff";
  case SND_SEQ_EVENT_CONTROLLER: return "controller";
  case SND_SEQ_EVENT_PORT_SUBSCRIBED: return "subscribed";
  case SND_SEQ_EVENT_PORT_UNSUBSCRIBED: return "unsubscribed";
  }
  snprintf(other, sizeof other, "type-%d", type);
  return other;
}

static void fill(record_t *r, const snd_seq_event_t *e, int64_t arrival) {
  r->arrival = arrival;
  r->kernel = e->time.time.tv_sec * 1000000000LL + e->time.time.tv_nsec;
  r->type = e->type;
  switch (e->type) {
  case SND_SEQ_EVENT_NOTEON:
  case SND_SEQ_EVENT_NOTEOFF:
    r->data[0] = e->data.note.channel;
    r->data[1] = e->data.note.note;
    r->data[2] = e->data.note.velocity;
    break;
  case SND_SEQ_EVENT_CONTROLLER:
  case SND_SEQ_EVENT_SONGPOS:
    r->data[0] = e->data.control.channel;
    r->data[1] = (int32_t)e->data.control.param;
    r->data[2] = e->data.control.value;
    break;
  case SND_SEQ_EVENT_PORT_SUBSCRIBED:
  case SND_SEQ_EVENT_PORT_UNSUBSCRIBED:
    r->data[0] = e->data.connect.sender.client;
    r->data[1] = e->data.connect.sender.port;
    break;
  }
}

// The queue's time and CLOCK_MONOTONIC at one instant: the narrowest of 50 brackets.
static void anchor(snd_seq_t *seq, int queue, int64_t *mono, int64_t *real) {
  snd_seq_queue_status_t *status;
  snd_seq_queue_status_alloca(&status);
  int64_t best = INT64_MAX;
  for (int i = 0; i < 50; i++) {
    int64_t before = now();
    snd_seq_get_queue_status(seq, queue, status);
    int64_t after = now();
    const snd_seq_real_time_t *t = snd_seq_queue_status_get_real_time(status);
    if (after - before >= best) continue;
    best = after - before;
    *mono = before + (after - before) / 2;
    *real = t->tv_sec * 1000000000LL + t->tv_nsec;
  }
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void distribution(const char *clock, const char *what, double *values, long n) {
  if (n < 1) return;
  qsort(values, n, sizeof *values, ascending);
  double mean = 0, variance = 0;
  for (long i = 0; i < n; i++) mean += values[i] / n;
  for (long i = 0; i < n; i++) variance += (values[i] - mean) * (values[i] - mean) / n;
#define RANK(p) values[(long)((p) * (n - 1) + 0.5)]
  printf("%s %s min=%.3f p0.1=%.3f p50=%.3f p99=%.3f p99.9=%.3f max=%.3f sd=%.3f spread=%.3f\n",
         clock, what, values[0], RANK(0.001), RANK(0.5), RANK(0.99), RANK(0.999), values[n - 1],
         sqrt(variance), RANK(0.999) - RANK(0.001));
}

// Least squares of time over pulse number; a lost pulse leaves its number out.
static void figures(const char *clock, const int64_t *times, const double *index, long n, double bpm) {
  double *values = calloc(n, sizeof *values);
  for (long i = 0; i + 1 < n; i++) values[i] = (times[i + 1] - times[i]) / 1e3;
  distribution(clock, "interval_us", values, n - 1);
  double x = 0, y = 0, xx = 0, xy = 0;
  for (long i = 0; i < n; i++) x += index[i] / n, y += (double)(times[i] - times[0]) / n;
  for (long i = 0; i < n; i++) {
    double dx = index[i] - x, dy = (double)(times[i] - times[0]) - y;
    xx += dx * dx, xy += dx * dy;
  }
  double slope = xy / xx;
  for (long i = 0; i < n; i++)
    values[i] = ((double)(times[i] - times[0]) - y - slope * (index[i] - x)) / 1e3;
  distribution(clock, "residual_us", values, n);
  double measured = 60e9 / (slope * pulsesPerQuarter);
  printf("%s tempo bpm=%.6f error_ppm=%.3f\n", clock, measured,
         bpm > 0 ? (measured / bpm - 1) * 1e6 : 0.0);
  free(values);
}

static void report(long skip, double bpm) {
  int64_t *arrival = calloc(recordCount + 1, sizeof *arrival);
  int64_t *kernel = calloc(recordCount + 1, sizeof *kernel);
  double *index = calloc(recordCount + 1, sizeof *index);
  long n = 0, seen = 0, lost = 0, doubled = 0;
  for (long i = 0; i < recordCount; i++)
    if (records[i].type == SND_SEQ_EVENT_CLOCK && seen++ >= skip) {
      arrival[n] = records[i].arrival;
      kernel[n++] = records[i].kernel;
    }
  printf("events n=%ld overruns=%ld\n", recordCount, overrun);
  if (n < 3) {
    printf("clock n=%ld\n", n);
    return;
  }
  double nominal;
  if (bpm > 0) {
    nominal = 60e9 / (bpm * pulsesPerQuarter);
  } else {
    double *intervals = calloc(n, sizeof *intervals);
    for (long i = 0; i + 1 < n; i++) intervals[i] = arrival[i + 1] - arrival[i];
    qsort(intervals, n - 1, sizeof *intervals, ascending);
    nominal = intervals[(n - 1) / 2];
    free(intervals);
  }
  for (long i = 0; i + 1 < n; i++) {
    double steps = round((kernel[i + 1] - kernel[i]) / nominal);
    if (steps < 1) doubled++, steps = 0;
    if (steps > 1) lost += (long)steps - 1;
    index[i + 1] = index[i] + steps;
  }
  printf("clock n=%ld lost=%ld doubled=%ld\n", n, lost, doubled);
  figures("arrival", arrival, index, n, bpm);
  figures("kernel", kernel, index, n, bpm);
}

int main(int argc, char **argv) {
  const char *name = "clockprobe", *from = NULL, *ready = NULL, *eventsFile = NULL;
  double wait = 10, seconds = 0, bpm = 0;
  long count = 0, skip = 0, stall = 0;
  int untilStop = 0;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--until-stop")) {
      untilStop = 1;
      continue;
    }
    if (i + 1 >= argc) {
      fprintf(stderr, "clockprobe: %s is unknown or lacks its value\n", argv[i]);
      return 2;
    }
    const char *option = argv[i], *value = argv[++i];
    if (!strcmp(option, "--name")) name = value;
    else if (!strcmp(option, "--from")) from = value;
    else if (!strcmp(option, "--wait")) wait = atof(value);
    else if (!strcmp(option, "--ready")) ready = value;
    else if (!strcmp(option, "--seconds")) seconds = atof(value);
    else if (!strcmp(option, "--count")) count = atol(value);
    else if (!strcmp(option, "--skip")) skip = atol(value);
    else if (!strcmp(option, "--bpm")) bpm = atof(value);
    else if (!strcmp(option, "--events")) eventsFile = value;
    else if (!strcmp(option, "--stall")) stall = atol(value);
    else {
      fprintf(stderr, "clockprobe: unknown option %s\n", option);
      return 2;
    }
  }

  records = calloc(capacity, sizeof *records);
  memset(records, 0xff, capacity * sizeof *records);  // every page present before it listens
  if (mlockall(MCL_CURRENT)) perror("clockprobe: mlockall");
  // Above any sender: it must stamp at once.
  struct sched_param priority = {.sched_priority = 95};
  if (sched_setscheduler(0, SCHED_FIFO, &priority)) perror("clockprobe: SCHED_FIFO");
  struct sigaction action = {.sa_handler = end};
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);

  snd_seq_t *seq;
  check(snd_seq_open(&seq, "default", SND_SEQ_OPEN_DUPLEX, SND_SEQ_NONBLOCK), "snd_seq_open");
  check(snd_seq_set_client_name(seq, name), "snd_seq_set_client_name");
  check(snd_seq_set_client_pool_input(seq, inputPool), "snd_seq_set_client_pool_input");
  int queue = snd_seq_alloc_queue(seq);
  check(queue, "snd_seq_alloc_queue");
  check(snd_seq_start_queue(seq, queue, NULL), "snd_seq_start_queue");
  check(snd_seq_drain_output(seq), "snd_seq_drain_output");
  usleep(20000);
  int64_t monoStart = 0, realStart = 0, monoEnd = 0, realEnd = 0;
  anchor(seq, queue, &monoStart, &realStart);
  // Only now can anybody connect: what arrives is read at once.
  snd_seq_port_info_t *port;
  snd_seq_port_info_alloca(&port);
  snd_seq_port_info_set_name(port, "in");
  snd_seq_port_info_set_capability(port, SND_SEQ_PORT_CAP_WRITE | SND_SEQ_PORT_CAP_SUBS_WRITE);
  snd_seq_port_info_set_type(port, SND_SEQ_PORT_TYPE_MIDI_GENERIC | SND_SEQ_PORT_TYPE_APPLICATION);
  snd_seq_port_info_set_timestamping(port, 1);
  snd_seq_port_info_set_timestamp_real(port, 1);
  snd_seq_port_info_set_timestamp_queue(port, queue);
  check(snd_seq_create_port(seq, port), "snd_seq_create_port");

  if (from) {
    int64_t limit = now() + (int64_t)(wait * 1e9);
    snd_seq_addr_t address;
    int result;
    while ((result = snd_seq_parse_address(seq, &address, from)) < 0 ||
           (result = snd_seq_connect_from(seq, snd_seq_port_info_get_port(port), address.client,
                                          address.port)) < 0) {
      if (now() > limit || ended) {
        fprintf(stderr, "clockprobe: no connection from '%s': %s\n", from, snd_strerror(result));
        return 1;
      }
      usleep(10000);
    }
  }
  if (ready) close(open(ready, O_CREAT | O_WRONLY | O_TRUNC, 0644));

  struct pollfd descriptors[4];
  int descriptorCount = snd_seq_poll_descriptors(seq, descriptors, 4, POLLIN);
  int64_t limit = seconds > 0 ? now() + (int64_t)(seconds * 1e9) : INT64_MAX;
  long pulses = 0;
  while (!ended && now() < limit && recordCount < capacity) {
    poll(descriptors, descriptorCount, 50);
    snd_seq_event_t *event;
    int result;
    while ((result = snd_seq_event_input(seq, &event)) != -EAGAIN && recordCount < capacity) {
      int64_t arrival = now();
      if (result == -ENOSPC) {
        overrun++;
        continue;
      }
      if (result < 0) {
        ended = 1;
        break;
      }
      fill(&records[recordCount++], event, arrival);
      if (event->type == SND_SEQ_EVENT_CLOCK && ++pulses == 1 && stall > 0) usleep(stall * 1000);
      if (count > 0 && pulses >= count) ended = 1;
      if (untilStop && event->type == SND_SEQ_EVENT_STOP) limit = now() + 300000000;
    }
  }

  anchor(seq, queue, &monoEnd, &realEnd);
  double rate = realEnd > realStart ? (double)(monoEnd - monoStart) / (realEnd - realStart) : 1;
  for (long i = 0; i < recordCount; i++)
    records[i].kernel = monoStart + (int64_t)llround((records[i].kernel - realStart) * rate);
  report(skip, bpm);
  if (eventsFile) {
    FILE *file = fopen(eventsFile, "w");
    if (!file) {
      perror(eventsFile);
      return 1;
    }
    for (long i = 0; i < recordCount; i++) {
      record_t *r = &records[i];
      fprintf(file, "%lld %lld %s", (long long)r->arrival, (long long)r->kernel, typeName(r->type));
      switch (r->type) {
      case SND_SEQ_EVENT_SONGPOS:
        fprintf(file, " %d", r->data[2]);
        break;
      case SND_SEQ_EVENT_NOTEON:
      case SND_SEQ_EVENT_NOTEOFF:
      case SND_SEQ_EVENT_CONTROLLER:
        fprintf(file, " %d %d %d", r->data[0], r->data[1], r->data[2]);
        break;
      case SND_SEQ_EVENT_PORT_SUBSCRIBED:
      case SND_SEQ_EVENT_PORT_UNSUBSCRIBED:
        fprintf(file, " %d:%d", r->data[0], r->data[1]);
        break;
      }
      fputc('\n', file);
    }
    fclose(file);
  }
  snd_seq_close(seq);
  return 0;
}
