// Records what a program asks of its files below RECORD_DIR, and what it says to whom it talks, in that order, into
// RECORD_FILE. To be preloaded. A record: kind, length of the name, name, offset (8 bytes), length (4 bytes), bytes.
//
//   W write   T truncate   S made durable   U removed   A said over a socket (before it is said)
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int journal = -1;

// The name below RECORD_DIR, or NULL. SQLite's shared memory isn't data.
static const char *below(const char *path) {
  const char *dir = getenv("RECORD_DIR");
  size_t length = dir ? strlen(dir) : 0;
  if (!length || strncmp(path, dir, length) || path[length] != '/') return NULL;
  const char *name = path + length + 1;
  return strstr(name, "-shm") ? NULL : name;
}

static const char *named(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, 4095);
  if (length <= 0) return NULL;
  path[length] = 0;
  return below(path);
}

static int is_socket(int fd) {
  struct stat about;
  return !fstat(fd, &about) && S_ISSOCK(about.st_mode);
}

static void record(char kind, const char *name, uint64_t offset, const void *bytes, size_t length) {
  uint8_t name_length = strlen(name);
  uint32_t count = length;
  struct iovec parts[6] = {{&kind, 1},   {&name_length, 1}, {(void *)name, name_length},
                           {&offset, 8}, {&count, 4},       {(void *)bytes, bytes ? length : 0}};
  pthread_mutex_lock(&lock);
  if (journal < 0) journal = open(getenv("RECORD_FILE"), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
  syscall(SYS_writev, journal, parts, 6);
  pthread_mutex_unlock(&lock);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  char path[4096];
  const char *name = named(fd, path);
  ssize_t done = syscall(SYS_pwrite64, fd, bytes, length, offset);
  if (name && done > 0) record('W', name, offset, bytes, done);
  return done;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return pwrite64(fd, bytes, length, offset); }

ssize_t write(int fd, const void *bytes, size_t length) {
  char path[4096];
  if (is_socket(fd)) record('A', "", fd, bytes, length);
  const char *name = named(fd, path);
  off64_t offset = name ? lseek64(fd, 0, SEEK_CUR) : 0;
  ssize_t done = syscall(SYS_write, fd, bytes, length);
  if (name && done > 0) record('W', name, offset, bytes, done);
  return done;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  if (is_socket(fd)) {
    size_t length = 0;
    for (int n = 0; n < count; n++) length += parts[n].iov_len;
    char *whole = malloc(length + 1), *end = whole;
    for (int n = 0; n < count; n++) end = mempcpy(end, parts[n].iov_base, parts[n].iov_len);
    record('A', "", fd, whole, length);
    free(whole);
  }
  return syscall(SYS_writev, fd, parts, count);
}

ssize_t send(int fd, const void *bytes, size_t length, int flags) {
  record('A', "", fd, bytes, length);
  return syscall(SYS_sendto, fd, bytes, length, flags, NULL, 0);
}

int ftruncate64(int fd, off64_t length) {
  char path[4096];
  const char *name = named(fd, path);
  int failed = syscall(SYS_ftruncate, fd, length);
  if (name && !failed) record('T', name, length, NULL, 0);
  return failed;
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

static int made_durable(int fd, long call) {
  char path[4096];
  const char *name = named(fd, path);
  int failed = syscall(call, fd);
  if (name && !failed) record('S', name, 0, NULL, 0);
  return failed;
}

int fdatasync(int fd) { return made_durable(fd, SYS_fdatasync); }

int fsync(int fd) { return made_durable(fd, SYS_fsync); }

int unlink(const char *path) {
  const char *name = below(path);
  int failed = syscall(SYS_unlink, path);
  if (name && !failed) record('U', name, 0, NULL, 0);
  return failed;
}
