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
//   --ports N        has N ports, `in`, `in2` ... (1); with more than one the figures are given for each,
//                    on lines that begin with port1, port2 ..., and on lines that begin with `across`
//                    how far the first and the last port's pulse of one number are apart
//   --events FILE    one line an event: arrival ns, kernel ns, type, data
//   --priority P     of its SCHED_FIFO scheduling (95: it stamps arrivals at once). A probe with several
//                    ports that ran between two of the sender's events would make the later ones late:
//                    below the sender's priority the kernel's stamps tell the truth
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

enum { capacity = 1 << 20, pulsesPerQuarter = 24, inputPool = 1000, mostPorts = 16 };

typedef struct {
  int64_t arrival, kernel;
  uint8_t type, port;
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
  r->port = e->dest.port;
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
  printf("%s tempo bpm=%.9f error_ppm=%.6f\n", clock, measured,
         bpm > 0 ? (measured / bpm - 1) * 1e6 : 0.0);
  free(values);
}

// The figures of one port's pulses; `name` begins every line. Leaves the instants of its pulses for the
// comparison of ports.
static long reportPort(const char *name, int port, long skip, double bpm, int64_t *arrival, int64_t *kernel) {
  double *index = calloc(recordCount + 1, sizeof *index);
  char label[2][32];
  snprintf(label[0], sizeof label[0], "%sarrival", name);
  snprintf(label[1], sizeof label[1], "%skernel", name);
  long n = 0, seen = 0, lost = 0, doubled = 0;
  for (long i = 0; i < recordCount; i++)
    if (records[i].type == SND_SEQ_EVENT_CLOCK && records[i].port == port && seen++ >= skip) {
      arrival[n] = records[i].arrival;
      kernel[n++] = records[i].kernel;
    }
  if (n < 3) {
    printf("%sclock n=%ld\n", name, n);
    free(index);
    return n;
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
  printf("%sclock n=%ld lost=%ld doubled=%ld\n", name, n, lost, doubled);
  figures(label[0], arrival, index, n, bpm);
  figures(label[1], kernel, index, n, bpm);
  free(index);
  return n;
}

// From the first to the last port's pulse of each number; the ports began together.
static void reportAcross(const char *clock, int64_t **times, int ports, long n) {
  double *spans = calloc(n + 1, sizeof *spans);
  for (long i = 0; i < n; i++) {
    int64_t first = times[0][i], last = first;
    for (int p = 1; p < ports; p++) {
      if (times[p][i] < first) first = times[p][i];
      if (times[p][i] > last) last = times[p][i];
    }
    spans[i] = (last - first) / 1e3;
  }
  char label[32];
  snprintf(label, sizeof label, "across %s", clock);
  distribution(label, "span_us", spans, n);
  free(spans);
}

static void report(int ports, long skip, double bpm) {
  printf("events n=%ld overruns=%ld\n", recordCount, overrun);
  int64_t *arrival[mostPorts], *kernel[mostPorts];
  long least = recordCount;
  for (int p = 0; p < ports; p++) {
    arrival[p] = calloc(recordCount + 1, sizeof **arrival);
    kernel[p] = calloc(recordCount + 1, sizeof **kernel);
    char name[16] = "";
    if (ports > 1) snprintf(name, sizeof name, "port%d ", p + 1);
    long n = reportPort(name, p, skip, bpm, arrival[p], kernel[p]);
    if (n < least) least = n;
  }
  if (ports > 1) {
    reportAcross("arrival", arrival, ports, least);
    reportAcross("kernel", kernel, ports, least);
  }
}

int main(int argc, char **argv) {
  const char *name = "clockprobe", *from = NULL, *ready = NULL, *eventsFile = NULL;
  double wait = 10, seconds = 0, bpm = 0;
  long count = 0, skip = 0, stall = 0;
  int untilStop = 0, ports = 1, priority = 95;
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
    else if (!strcmp(option, "--ports") && atoi(value) >= 1 && atoi(value) <= mostPorts) ports = atoi(value);
    else if (!strcmp(option, "--events")) eventsFile = value;
    else if (!strcmp(option, "--priority") && atoi(value) >= 1 && atoi(value) <= 99) priority = atoi(value);
    else if (!strcmp(option, "--stall")) stall = atol(value);
    else {
      fprintf(stderr, "clockprobe: unknown option %s\n", option);
      return 2;
    }
  }

  records = calloc(capacity, sizeof *records);
  memset(records, 0xff, capacity * sizeof *records);  // every page present before it listens
  if (mlockall(MCL_CURRENT)) perror("clockprobe: mlockall");
  struct sched_param parameters = {.sched_priority = priority};
  if (sched_setscheduler(0, SCHED_FIFO, &parameters)) perror("clockprobe: SCHED_FIFO");
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
  snd_seq_port_info_set_capability(port, SND_SEQ_PORT_CAP_WRITE | SND_SEQ_PORT_CAP_SUBS_WRITE);
  snd_seq_port_info_set_type(port, SND_SEQ_PORT_TYPE_MIDI_GENERIC | SND_SEQ_PORT_TYPE_APPLICATION);
  snd_seq_port_info_set_timestamping(port, 1);
  snd_seq_port_info_set_timestamp_real(port, 1);
  snd_seq_port_info_set_timestamp_queue(port, queue);
  for (int p = ports - 1; p >= 0; p--) {  // port 0 last: `port` stays the one that connects itself
    char portName[16] = "in";
    if (p > 0) snprintf(portName, sizeof portName, "in%d", p + 1);
    snd_seq_port_info_set_name(port, portName);
    snd_seq_port_info_set_port(port, p);
    snd_seq_port_info_set_port_specified(port, 1);
    check(snd_seq_create_port(seq, port), "snd_seq_create_port");
  }

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
      if (event->type == SND_SEQ_EVENT_CLOCK && event->dest.port == ports - 1 && ++pulses == 1 && stall > 0) usleep(stall * 1000);
      if (count > 0 && pulses >= count) ended = 1;
      if (untilStop && event->type == SND_SEQ_EVENT_STOP) limit = now() + 300000000;
    }
  }

  anchor(seq, queue, &monoEnd, &realEnd);
  double rate = realEnd > realStart ? (double)(monoEnd - monoStart) / (realEnd - realStart) : 1;
  for (long i = 0; i < recordCount; i++)
    records[i].kernel = monoStart + (int64_t)llround((records[i].kernel - realStart) * rate);
  report(ports, skip, bpm);
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
