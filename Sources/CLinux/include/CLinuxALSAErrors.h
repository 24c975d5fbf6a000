// alsa-lib prints its errors to stderr unless it is given a handler, and the handler is variadic.
#pragma once
#include <stdint.h>

/// A `snd_lib_error_handler_t` that keeps the last messages of the calling thread.
void *clinux_alsa_error_handler(void);
/// What this thread's calls said since the last clear, joined by "; "; never NULL.
const char *clinux_alsa_error_text(void);
void clinux_alsa_error_clear(void);
