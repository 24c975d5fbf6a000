// oscstorm: the network as a metronome may find it: many subscribers, a flood of packets, a web client
// that never stops asking. Each of them that is asked for runs in a process of its own, at the ordinary
// priority, and says at its end what it did, one line of key=value.
//
//   --host ADDRESS    the daemon's machine (127.0.0.1)
//   --port N          its OSC port (9700)
//   --subscribers N   so many sockets ask for everything and read all that comes
//   --flood RATE      so many packets a second, 0 for as many as there is time for
//   --web PORT        asks this port for the address space, the next one as soon as an answer is whole
//   --stop udp        halfway sends a stop, every 20 ms until it is answered; `tcp`: once
//   --move WAY        moves the volume a hundred times a second, its last value 0.625, then waits for a
//                     pong; WAY is udp, or a stream whose packets are framed by their size or by slip
//   --watch S         asks for values, again every S seconds as a tablet does, and tells the last volume
//   --seconds S       ends after S seconds (10)
//
// Exit status: 0, 1 where a socket cannot be had, 2 for a wrong argument.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { mostSubscribers = 128, answerRoom = 65536 };

static double seconds = 10;
static struct sockaddr_in server = {.sin_family = AF_INET};

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int padded(char *to, const char *text) {
  int length = (int)strlen(text) / 4 * 4 + 4;
  memset(to, 0, (size_t)length);
  memcpy(to, text, strlen(text));
  return length;
}

static int opened(int type, int port) {
  int fd = socket(AF_INET, type, 0);
  struct sockaddr_in to = server;
  to.sin_port = htons((uint16_t)port);
  if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) < 0) {
    perror("oscstorm");
    exit(1);
  }
  return fd;
}

static void subscribers(int count, int port) {
  static char answer[answerRoom];
  struct pollfd polled[mostSubscribers];
  char packet[64];
  int length = padded(packet, "/tactus/subscribe");
  length += padded(packet + length, ",s");
  length += padded(packet + length, "all");
  for (int n = 0; n < count; n++)
    polled[n] = (struct pollfd){.fd = opened(SOCK_DGRAM, port), .events = POLLIN};
  long beats = 0, subs = 0, others = 0, late = 0;
  int64_t least = INT64_MAX, end = now() + (int64_t)(seconds * 1e9), asked = INT64_MIN / 2;
  while (now() < end) {
    if (now() - asked > 20000000000LL) {
      asked = now();
      for (int n = 0; n < count; n++) send(polled[n].fd, packet, (size_t)length, 0);
    }
    if (poll(polled, (nfds_t)count, 100) <= 0) continue;
    for (int n = 0; n < count; n++) {
      if (!polled[n].revents) continue;
      ssize_t got;
      while ((got = recv(polled[n].fd, answer, sizeof answer, MSG_DONTWAIT)) > 0) {
        // A beat is a bundle of one message: 16 and 4 bytes, then its address; its instant is last.
        int sub = got > 60 && strcmp(answer + 20, "/tactus/beat/sub") == 0;
        if (!sub && !(got > 60 && strcmp(answer + 20, "/tactus/beat") == 0)) {
          others++;
          continue;
        }
        int64_t due;
        memcpy(&due, answer + got - 8, 8);
        int64_t lead = (int64_t)be64toh((uint64_t)due) - now();
        if (lead < 0) late++;
        if (lead < least) least = lead;
        if (sub) subs++;
        else beats++;
      }
    }
  }
  printf("subscribers n=%d beats=%ld subs=%ld others=%ld late=%ld least_lead_us=%.1f\n", count, beats,
         subs, others, late, beats ? (double)least / 1000 : 0);
}

static void flood(double rate, int port) {
  static const char *addresses[] = {"/tactus/volume", "/tactus/tempo", "/1/fader1", "/tactus/nothing"};
  static char answer[answerRoom];
  int fd = opened(SOCK_DGRAM, port);
  char packet[64];
  int64_t start = now(), end = start + (int64_t)(seconds * 1e9), at = start;
  long sent = 0;
  while (at < end) {
    // Good values, bad ones, other programs' words and rubbish in turn; none that changes the beat.
    for (int n = 0; n < 16; n++, sent++) {
      int size = padded(packet, addresses[sent & 3]);
      size += padded(packet + size, ",f");
      float value = (float)(sent % 100) / 200;
      uint32_t bits;
      memcpy(&bits, &value, 4);
      bits = htonl(bits);
      memcpy(packet + size, &bits, 4);
      send(fd, packet, (size_t)(sent % 97 ? size + 4 : size - 1), MSG_DONTWAIT);
    }
    while (recv(fd, answer, sizeof answer, MSG_DONTWAIT) > 0) {
    }
    at = now();
    if (rate > 0) {
      int64_t due = start + (int64_t)((double)sent / rate * 1e9);
      struct timespec until = {due / 1000000000, due % 1000000000};
      if (due > at) clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    }
  }
  printf("flood sent=%ld per_second=%.0f\n", sent, (double)sent / ((double)(now() - start) / 1e9));
}

static void web(int port) {
  static char answer[answerRoom];
  const char *question = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  int64_t start = now(), end = start + (int64_t)(seconds * 1e9);
  long answers = 0, refused = 0;
  double bytes = 0;
  while (now() < end) {
    int fd = opened(SOCK_STREAM, port);
    send(fd, question, strlen(question), MSG_NOSIGNAL);
    long got, whole = 0;
    while ((got = recv(fd, answer, sizeof answer, 0)) > 0) {
      if (whole == 0 && got > 12 && strncmp(answer + 9, "200", 3) != 0) refused++;
      whole += got;
    }
    if (whole > 0) answers++;
    bytes += (double)whole;
    close(fd);
  }
  printf("web answers=%ld refused=%ld per_second=%.0f kbytes=%.0f\n", answers, refused,
         (double)answers / ((double)(now() - start) / 1e9), bytes / 1000);
}

static void stop(int overTCP, int port) {
  static char answer[answerRoom];
  char packet[64] = {0};
  int length = padded(packet + 4, "/tactus/stop");
  length += padded(packet + 4 + length, ",");
  packet[3] = (char)length; // the size that stands before a packet in a stream
  int fd = opened(overTCP ? SOCK_STREAM : SOCK_DGRAM, port), on = 1;
  if (overTCP) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  usleep((useconds_t)(seconds * 5e5));
  int64_t start = now(), sentAt = 0;
  int tries = 0, isAnswered = 0;
  while (!isAnswered && now() - start < 5000000000LL) {
    if (now() - sentAt >= 20000000 && (tries == 0 || !overTCP)) {
      sentAt = now();
      tries++;
      send(fd, packet + (overTCP ? 0 : 4), (size_t)(length + (overTCP ? 4 : 0)), MSG_NOSIGNAL);
    }
    struct pollfd polled = {.fd = fd, .events = POLLIN};
    if (poll(&polled, 1, 5) <= 0) continue;
    ssize_t got = recv(fd, answer, sizeof answer, MSG_DONTWAIT);
    if (got > 0) isAnswered = memmem(answer, (size_t)got, "/tactus/effective", 17) != NULL;
  }
  printf("stop over=%s tries=%d answered=%d took_ms=%.1f\n", overTCP ? "tcp" : "udp", tries, isAnswered,
         (double)(now() - start) / 1e6);
}

static int framed(char *to, const char *packet, int length, const char *way) {
  int size = 0;
  if (strcmp(way, "slip") != 0) {
    to[0] = to[1] = to[2] = 0;
    to[3] = (char)length;
    size = strcmp(way, "size") == 0 ? 4 : 0;
    memcpy(to + size, packet, (size_t)length);
    return size + length;
  }
  to[size++] = (char)0xC0;
  for (int n = 0; n < length; n++) {
    unsigned char byte = (unsigned char)packet[n];
    if (byte != 0xC0 && byte != 0xDB) {
      to[size++] = (char)byte;
      continue;
    }
    to[size++] = (char)0xDB;
    to[size++] = (char)(byte == 0xC0 ? 0xDC : 0xDD);
  }
  to[size++] = (char)0xC0;
  return size;
}

static int volume(char *packet, float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  bits = htonl(bits);
  int length = padded(packet, "/tactus/volume");
  length += padded(packet + length, ",f");
  memcpy(packet + length, &bits, 4);
  return length + 4;
}

static void say(int fd, const char *way, const char *packet, int length) {
  char frame[300];
  int size = framed(frame, packet, length, way);
  send(fd, frame, (size_t)size, MSG_NOSIGNAL);
}

// A value and a ping in one bundle: its pong means that the value has arrived.
static int lastVolume(char *packet) {
  char ping[16];
  int length = padded(packet, "#bundle"), pinged = padded(ping, "/tactus/ping");
  memcpy(packet + length, "\0\0\0\0\0\0\0\1\0\0\0", 11);
  length += 12;
  int size = volume(packet + length, 0.625f);
  packet[length - 1] = (char)size;
  length += size;
  memset(packet + length, 0, 3);
  packet[length + 3] = (char)(pinged + 4);
  memcpy(packet + length + 4, ping, (size_t)pinged);
  return length + 4 + pinged + padded(packet + length + 4 + pinged, ",");
}

static void move(const char *way, int port) {
  static char answer[answerRoom];
  char packet[128];
  int fd = opened(strcmp(way, "udp") == 0 ? SOCK_DGRAM : SOCK_STREAM, port), on = 1, isDone = 0;
  if (strcmp(way, "udp") != 0) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  int64_t start = now(), end = start + (int64_t)(seconds * 1e9), asked = 0;
  long values = 0;
  for (; now() < end; values++) {
    say(fd, way, packet, volume(packet, (float)(values % 100) / 200));
    while (recv(fd, answer, sizeof answer, MSG_DONTWAIT) > 0) {
    }
    usleep(10000);
  }
  // What was said before may be 35 ms on its way, and must not come after the last value.
  usleep(100000);
  start = now();
  while (!isDone && now() - start < 30000000000LL) {
    // Over UDP what got lost is said again, as a hand does that sees no answer.
    if (asked == 0 || (strcmp(way, "udp") == 0 && now() - asked > 300000000)) {
      asked = now();
      say(fd, way, packet, lastVolume(packet));
    }
    struct pollfd polled = {.fd = fd, .events = POLLIN};
    if (poll(&polled, 1, 50) <= 0) continue;
    ssize_t got = recv(fd, answer, sizeof answer, MSG_DONTWAIT);
    if (got > 0) isDone = memmem(answer, (size_t)got, "/tactus/pong", 12) != NULL;
  }
  printf("moved way=%s values=%ld pong=%d took_ms=%.1f\n", way, values, isDone,
         (double)(now() - start) / 1e6);
}

static void watch(double every, int port) {
  static char answer[answerRoom];
  char packet[64];
  int length = padded(packet, "/tactus/subscribe");
  length += padded(packet + length, ",s");
  length += padded(packet + length, "state");
  int fd = opened(SOCK_DGRAM, port);
  int64_t end = now() + (int64_t)(seconds * 1e9), asked = INT64_MIN / 2;
  long values = 0;
  float last = -1;
  while (now() < end) {
    if (now() - asked > (int64_t)(every * 1e9)) {
      asked = now();
      send(fd, packet, (size_t)length, 0);
    }
    struct pollfd polled = {.fd = fd, .events = POLLIN};
    if (poll(&polled, 1, 50) <= 0) continue;
    ssize_t got = recv(fd, answer, sizeof answer, MSG_DONTWAIT);
    // The address with its end, wherever in a bundle: 16 bytes, then ",f" in 4.
    char *at = got > 0 ? memmem(answer, (size_t)got, "/tactus/volume\0\0,f\0", 20) : NULL;
    if (!at) continue;
    uint32_t bits;
    memcpy(&bits, at + 20, 4);
    bits = ntohl(bits);
    memcpy(&last, &bits, 4);
    values++;
  }
  printf("watched values=%ld last=%.3f\n", values, (double)last);
}

int main(int count, char **arguments) {
  int port = 9700, many = 0, webPort = 0;
  double rate = -1;
  const char *way = NULL, *moving = NULL;
  double every = 0;
  server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (int n = 1; n < count; n += 2) {
    const char *value = n + 1 < count ? arguments[n + 1] : "";
    if (strcmp(arguments[n], "--host") == 0) inet_pton(AF_INET, value, &server.sin_addr);
    else if (strcmp(arguments[n], "--move") == 0) moving = value;
    else if (strcmp(arguments[n], "--watch") == 0) every = atof(value);
    else if (strcmp(arguments[n], "--port") == 0) port = atoi(value);
    else if (strcmp(arguments[n], "--subscribers") == 0) many = atoi(value);
    else if (strcmp(arguments[n], "--flood") == 0) rate = atof(value);
    else if (strcmp(arguments[n], "--web") == 0) webPort = atoi(value);
    else if (strcmp(arguments[n], "--stop") == 0) way = value;
    else if (strcmp(arguments[n], "--seconds") == 0) seconds = atof(value);
    else return 2;
  }
  if (many > mostSubscribers) return 2;
  int status = 0, one;
  if (many && fork() == 0) return subscribers(many, port), 0;
  if (rate >= 0 && fork() == 0) return flood(rate, port), 0;
  if (webPort && fork() == 0) return web(webPort), 0;
  if (way && fork() == 0) return stop(strcmp(way, "tcp") == 0, port), 0;
  if (moving && fork() == 0) return move(moving, port), 0;
  if (every > 0 && fork() == 0) return watch(every, port), 0;
  while (wait(&one) > 0)
    if (one) status = 1;
  return status;
}
