#pragma once
#include <alsa/asoundlib.h>

// The handler's type is variadic, which Swift cannot name; `handler` is one of that type.
static inline int calsa_set_error_handler(void *handler) {
  return snd_lib_error_set_handler((snd_lib_error_handler_t)handler);
}
