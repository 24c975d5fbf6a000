#include "CLinux.h"

#if defined(__has_feature)
#if __has_feature(realtime_sanitizer)
#define TACTUS_RTSAN 1
void __rtsan_realtime_enter(void);
void __rtsan_realtime_exit(void);
#endif
#endif

void clinux_rtsan_enter(void) {
#ifdef TACTUS_RTSAN
  __rtsan_realtime_enter();
#endif
}

void clinux_rtsan_exit(void) {
#ifdef TACTUS_RTSAN
  __rtsan_realtime_exit();
#endif
}
