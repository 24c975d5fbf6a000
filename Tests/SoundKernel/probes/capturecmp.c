// capturecmp CAPTURE.wav OFFLINE.wav [options]: compares what a loopback card recorded with what was
// rendered offline, sample by sample. The first frame with sound in OFFLINE is laid on the first frame
// with sound in CAPTURE; before it CAPTURE must be silent.
//
//   --from F        what was recorded before frame F of CAPTURE does not count: the first onset after it is laid on
//                   that of OFFLINE's first eight which it equals
//   --frames N      compares N frames from there (default: to the end of the shorter file)
//   --gap N         a click's onset is a frame with sound after N silent ones (240)
//   --onsets FILE   writes the onset frames of CAPTURE, the first being 0, one a line
//   --bpm B         the onsets must lie at n x 60 x rate / B, rounded half up, B in whole thousandths
//   --onset-time    prints the frame of the first onset in CAPTURE only
//
// Both files may hold 16, 24 or 32-bit integers or 32-bit floats. They are compared in the coarser of
// the two formats: the finer one is scaled to it and rounded to nearest, ties to even. Prints one line of
// figures; exit status 0 when all frames are equal and on the grid, 1 when not, 2 for a wrong file.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *path;
  int isFloat, bits, channels, rate;
  long frames;
  double *samples;  // full scale is 1
} sound_t;

static void wrong(const char *path, const char *reason) {
  fprintf(stderr, "capturecmp: %s: %s\n", path, reason);
  exit(2);
}

static uint32_t little(const uint8_t *p, int bytes) {
  uint32_t value = 0;
  for (int i = 0; i < bytes; i++) value |= (uint32_t)p[i] << (8 * i);
  return value;
}

static sound_t load(const char *path) {
  sound_t sound = {.path = path};
  FILE *file = fopen(path, "rb");
  if (!file) wrong(path, "cannot be opened");
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  uint8_t *bytes = malloc(size + 1);
  if (fread(bytes, 1, size, file) != (size_t)size) wrong(path, "cannot be read");
  fclose(file);
  if (size < 12 || memcmp(bytes, "RIFF", 4) || memcmp(bytes + 8, "WAVE", 4)) wrong(path, "is no WAV file");
  const uint8_t *data = NULL;
  long length = 0;
  for (long at = 12; at + 8 <= size;) {
    uint32_t chunk = little(bytes + at + 4, 4);
    const uint8_t *body = bytes + at + 8;
    if (!memcmp(bytes + at, "fmt ", 4)) {
      int tag = little(body, 2);
      if (tag == 0xfffe) tag = little(body + 24, 2);  // WAVE_FORMAT_EXTENSIBLE: the sub-format
      sound.isFloat = tag == 3;
      sound.channels = little(body + 2, 2);
      sound.rate = little(body + 4, 4);
      sound.bits = little(body + 14, 2);
    }
    if (!memcmp(bytes + at, "data", 4)) {
      data = body;
      // A recorder that was killed leaves a length of zero or too much.
      length = size - at - 8;
      if (chunk > 0 && chunk < length) length = chunk;
      break;
    }
    at += 8 + chunk + (chunk & 1);
  }
  if (!data || !sound.channels) wrong(path, "has no samples");
  if (sound.bits != 16 && sound.bits != 24 && sound.bits != 32) wrong(path, "has a width that is not 16, 24 or 32");
  int width = sound.bits / 8;
  sound.frames = length / (width * sound.channels);
  sound.samples = malloc((sound.frames * sound.channels + 1) * sizeof(double));
  for (long i = 0; i < sound.frames * sound.channels; i++) {
    uint32_t raw = little(data + i * width, width);
    if (sound.isFloat) {
      float value;
      memcpy(&value, &raw, 4);
      sound.samples[i] = value;
    } else {
      sound.samples[i] = (int32_t)(raw << (32 - sound.bits)) / 2147483648.0;
    }
  }
  free(bytes);
  return sound;
}

static int audible(const sound_t *sound, long frame) {
  for (int c = 0; c < sound->channels; c++)
    if (sound->samples[frame * sound->channels + c] != 0) return 1;
  return 0;
}

static long firstSound(const sound_t *sound) {
  for (long i = 0; i < sound->frames; i++)
    if (audible(sound, i)) return i;
  wrong(sound->path, "is silent");
  return 0;
}

// Bits of the coarser integer format, 0 where both are floats.
static int commonBits(const sound_t *a, const sound_t *b) {
  if (a->isFloat && b->isFloat) return 0;
  if (a->isFloat) return b->bits;
  if (b->isFloat) return a->bits;
  return a->bits < b->bits ? a->bits : b->bits;
}

static void quantise(sound_t *sound, int bits) {
  if (!bits || (!sound->isFloat && sound->bits == bits)) return;
  double scale = ldexp(1, bits - 1);
  for (long i = 0; i < sound->frames * sound->channels; i++) {
    double value = rint(sound->samples[i] * scale);
    if (value > scale - 1) value = scale - 1;
    if (value < -scale) value = -scale;
    sound->samples[i] = value / scale;
  }
}

// n x 60 x rate / bpm, rounded half up.
static long gridFrame(long n, int rate, long thousandths) {
  __int128 numerator = (__int128)n * 60 * rate * 1000;
  return (long)((2 * numerator + thousandths) / (2 * (__int128)thousandths));
}

// The first frame from `from` on that has sound after `gap` silent ones; the length where there is none.
static long onsetFrom(const sound_t *sound, long from, long gap) {
  long silent = from == 0 ? gap : 0;
  for (long i = from; i < sound->frames; i++) {
    if (!audible(sound, i)) silent++;
    else if (silent >= gap) return i;
    else silent = 0;
  }
  return sound->frames;
}

// How many frames of four seconds differ (two bars at 120, so that no two beats of a bar look alike), CAPTURE from a and OFFLINE from b on.
static long unlike(const sound_t *capture, long a, const sound_t *offline, long b) {
  long different = 0;
  for (long i = 0; i < 4L * capture->rate && a + i < capture->frames && b + i < offline->frames; i++)
    for (int c = 0; c < capture->channels; c++)
      if (capture->samples[(a + i) * capture->channels + c] != offline->samples[(b + i) * capture->channels + c]) {
        different++;
        break;
      }
  return different;
}

int main(int argc, char **argv) {
  const char *paths[2] = {0}, *onsetFile = NULL;
  long frames = -1, gap = 240, thousandths = 0, from = -1;
  int given = 0, onsetOnly = 0;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--onset-time")) onsetOnly = 1;
    else if (argv[i][0] != '-' && given < 2) paths[given++] = argv[i];
    else if (i + 1 >= argc) wrong(argv[i], "unknown or without its value");
    else if (!strcmp(argv[i], "--frames")) frames = atol(argv[++i]);
    else if (!strcmp(argv[i], "--from")) from = atol(argv[++i]);
    else if (!strcmp(argv[i], "--gap")) gap = atol(argv[++i]);
    else if (!strcmp(argv[i], "--onsets")) onsetFile = argv[++i];
    else if (!strcmp(argv[i], "--bpm")) thousandths = lround(atof(argv[++i]) * 1000);
    else wrong(argv[i], "unknown option");
  }
  if (onsetOnly && given >= 1) {
    sound_t sound = load(paths[0]);
    printf("%ld\n", firstSound(&sound));
    return 0;
  }
  if (given < 2) wrong("arguments", "two WAV files are needed");
  sound_t capture = load(paths[0]), offline = load(paths[1]);
  if (capture.rate != offline.rate || capture.channels != offline.channels) {
    printf("rates %d and %d, channels %d and %d differ\n", capture.rate, offline.rate,
           capture.channels, offline.channels);
    return 1;
  }
  int bits = commonBits(&capture, &offline);
  quantise(&capture, bits);
  quantise(&offline, bits);

  long a = firstSound(&capture), b = firstSound(&offline);
  if (from >= 0) {
    a = onsetFrom(&capture, from, gap);
    long least = -1, at = b;
    for (int i = 0; i < 8 && at < offline.frames; i++) {
      long found = unlike(&capture, a, &offline, at);
      if (least < 0 || found < least) {
        least = found;
        b = at;
      }
      at = onsetFrom(&offline, at + gap, gap);
    }
  }
  long n = capture.frames - a < offline.frames - b ? capture.frames - a : offline.frames - b;
  int tooShort = frames > n;
  if (frames >= 0 && frames < n) n = frames;
  long different = 0, first = -1, count = 0, offGrid = 0, largest = 0, silent = gap;
  double worst = 0;
  FILE *onsets = onsetFile ? fopen(onsetFile, "w") : NULL;
  for (long i = 0; i < n; i++) {
    int equal = 1;
    for (int c = 0; c < capture.channels; c++) {
      double x = capture.samples[(a + i) * capture.channels + c];
      double y = offline.samples[(b + i) * offline.channels + c];
      if (x != y) equal = 0;
      if (fabs(x - y) > worst) worst = fabs(x - y);
    }
    if (!equal && different++ == 0) first = i;
    if (!audible(&capture, a + i)) {
      silent++;
      continue;
    }
    if (silent >= gap) {
      if (onsets) fprintf(onsets, "%ld\n", i);
      if (thousandths > 0) {
        long error = labs(i - gridFrame(count, capture.rate, thousandths));
        if (error > 0) offGrid++;
        if (error > largest) largest = error;
      }
      count++;
    }
    silent = 0;
  }
  if (onsets) fclose(onsets);
  printf("offset=%ld compared=%ld different=%ld first=%ld worst=%.3g bits=%d onsets=%ld off-grid=%ld "
         "largest=%ld%s\n",
         a - b, n, different, first, worst, bits, count, offGrid, largest,
         tooShort ? " (a file is shorter than asked for)" : "");
  return different || offGrid || tooShort || count == 0;
}
