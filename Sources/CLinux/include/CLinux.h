// Linux calls and macros that the Glibc module does not offer to Swift. No logic lives here.
#pragma once
#include <stdint.h>

#include "CLinuxALSAErrors.h"
#include "CLinuxRealtime.h"
#include "CLinuxActuators.h"
#include "CLinuxProcess.h"
#include "CLinuxTimer.h"
#include "CLinuxKeys.h"
#include "CLinuxSocket.h"
#include "CLinuxWatch.h"

/// RealtimeSanitizer's context marks; they do nothing in a build without it. Out of line on
/// purpose: C defines do not reach the Swift importer.
void clinux_rtsan_enter(void);
void clinux_rtsan_exit(void);
