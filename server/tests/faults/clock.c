// Sets the clock of a program: by the seconds that CLOCK_FILE holds, 8 bytes that may change at any time. To be preloaded.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *ahead;

__attribute__((constructor)) static void begin(void) {
  int fd = open(getenv("CLOCK_FILE"), O_RDONLY | O_CLOEXEC);
  void *page = mmap(NULL, 8, PROT_READ, MAP_SHARED, fd, 0);
  if (page == MAP_FAILED) abort();
  ahead = page;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int failed = syscall(SYS_clock_gettime, clock, time);
  if (!failed && ahead && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += *ahead;
  return failed;
}
