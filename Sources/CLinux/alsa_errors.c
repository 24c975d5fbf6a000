#include "CLinux.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static __thread char text[512];

static void keep(const char *file, int line, const char *function, int code, const char *format,
                 ...) {
  (void)file, (void)line, (void)function, (void)code;
  size_t used = strlen(text);
  if (used + 4 >= sizeof text) return;
  if (used) used += (size_t)snprintf(text + used, sizeof text - used, "; ");
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + used, sizeof text - used, format, arguments);
  va_end(arguments);
}

void *clinux_alsa_error_handler(void) { return (void *)keep; }
const char *clinux_alsa_error_text(void) { return text; }
void clinux_alsa_error_clear(void) { text[0] = 0; }
