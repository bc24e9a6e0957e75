/* Calls of the system that fail, or end the process, at the n-th that changes a folder.

   Preloaded (LD_PRELOAD), so that Python, Arrow and SQLite are all seen. Nothing happens until
   `fault_arm` names the folder. fwrite and the like write inside of the C library, past this file. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* What happens at the n-th call: it fails once; it and all later ones that need room fail, since the
   disk is full; the process dies. A write that meets a full disk or its death is half done. */
enum fault { ONCE, FULL, KILL };

static char folder[4096];
static size_t folder_length;
static atomic_long n_calls;
static long at_call;
static enum fault fault;
static int fault_error;
static char failed[256];

void fault_arm(const char *below, long at, int kind, int error) {
  snprintf(folder, sizeof folder, "%s", below);
  folder_length = strlen(folder);
  at_call = at;
  fault = (enum fault)kind;
  fault_error = error;
  failed[0] = 0;
  n_calls = 0;
}

long fault_calls(void) { return n_calls; }
const char *fault_failed(void) { return failed; }

static int is_below(const char *path) {
  return folder_length && path && !strncmp(path, folder, folder_length) &&
         (path[folder_length] == '/' || !path[folder_length]);
}

static int is_file_below(int handle) {
  if (!folder_length) return 0;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return is_below(path);
}

/* What becomes of a call. */
enum verdict { PASSES, FAILS, HALF_DONE };

/* Count a call and judge it; only a write can be done by half, and ends the process after that. */
static enum verdict judge(const char *name, int needs_room, int is_write) {
  long number = ++n_calls;
  if (!at_call || number < at_call) return PASSES;
  if (number > at_call && (fault != FULL || !needs_room)) return PASSES;
  errno = fault_error;
  if (number > at_call) return FAILS;
  snprintf(failed, sizeof failed, "%s", name);
  if (fault != ONCE && is_write) return HALF_DONE;
  if (fault == KILL) kill(getpid(), SIGKILL);
  return FAILS;
}

static ssize_t half_done(ssize_t count) {
  if (fault == KILL) kill(getpid(), SIGKILL);
  if (count <= 0) errno = fault_error;
  return count > 0 ? count : -1;
}

#define REAL(type, name, ...)                                                   \
  static type (*real)(__VA_ARGS__);                                             \
  if (!real) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

#define FAILS_PATH(path, room) (is_below(path) && judge(__func__, room, 0))
#define FAILS_FILE(handle, room) (is_file_below(handle) && judge(__func__, room, 0))

/* ---- writing: the first half reaches the file where the disk is full or the process dies ---- */

ssize_t write(int handle, const void *bytes, size_t count) {
  REAL(ssize_t, write, int, const void *, size_t);
  enum verdict verdict = is_file_below(handle) ? judge("write", 1, 1) : PASSES;
  if (verdict == FAILS) return -1;
  if (verdict == HALF_DONE) return half_done(real(handle, bytes, count / 2));
  return real(handle, bytes, count);
}

#define PWRITE(name)                                                            \
  ssize_t name(int handle, const void *bytes, size_t count, off_t offset) {     \
    REAL(ssize_t, name, int, const void *, size_t, off_t);                      \
    enum verdict verdict = is_file_below(handle) ? judge(#name, 1, 1) : PASSES; \
    if (verdict == FAILS) return -1;                                            \
    if (verdict == HALF_DONE) return half_done(real(handle, bytes, count / 2, offset)); \
    return real(handle, bytes, count, offset);                                  \
  }
PWRITE(pwrite)
PWRITE(pwrite64)

ssize_t writev(int handle, const struct iovec *parts, int count) {
  REAL(ssize_t, writev, int, const struct iovec *, int);
  return FAILS_FILE(handle, 1) ? -1 : real(handle, parts, count);
}

/* ---- opening: only what may change a file counts ---- */

#define CHANGES (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)

#define MODE_OF(flags)                                                          \
  mode_t mode = 0;                                                              \
  if ((flags) & (O_CREAT | __O_TMPFILE)) {                                      \
    va_list rest;                                                               \
    va_start(rest, flags);                                                      \
    mode = va_arg(rest, mode_t);                                                \
    va_end(rest);                                                               \
  }

#define OPEN(name)                                                              \
  int name(const char *path, int flags, ...) {                                  \
    REAL(int, name, const char *, int, ...);                                    \
    MODE_OF(flags)                                                              \
    if ((flags & CHANGES) && FAILS_PATH(path, (flags & O_CREAT) != 0)) return -1; \
    return real(path, flags, mode);                                             \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                            \
  int name(int place, const char *path, int flags, ...) {                       \
    REAL(int, name, int, const char *, int, ...);                               \
    MODE_OF(flags)                                                              \
    if ((flags & CHANGES) && FAILS_PATH(path, (flags & O_CREAT) != 0)) return -1; \
    return real(place, path, flags, mode);                                      \
  }
OPENAT(openat)
OPENAT(openat64)

/* ---- the disk, names, rights ---- */

#define OF_FILE(name)                                                           \
  int name(int handle) {                                                        \
    REAL(int, name, int);                                                       \
    return FAILS_FILE(handle, 0) ? -1 : real(handle);                           \
  }
OF_FILE(fsync)
OF_FILE(fdatasync)

#define RESIZE(name)                                                            \
  int name(int handle, off_t length) {                                          \
    REAL(int, name, int, off_t);                                                \
    return FAILS_FILE(handle, 1) ? -1 : real(handle, length);                   \
  }
RESIZE(ftruncate)
RESIZE(ftruncate64)

/* These return the error instead of setting errno. */
#define ALLOCATE(name)                                                          \
  int name(int handle, off_t offset, off_t length) {                            \
    REAL(int, name, int, off_t, off_t);                                         \
    return FAILS_FILE(handle, 1) ? fault_error : real(handle, offset, length);  \
  }
ALLOCATE(posix_fallocate)
ALLOCATE(posix_fallocate64)

int rename(const char *from, const char *to) {
  REAL(int, rename, const char *, const char *);
  return FAILS_PATH(to, 0) ? -1 : real(from, to);
}

int renameat(int from_place, const char *from, int to_place, const char *to) {
  REAL(int, renameat, int, const char *, int, const char *);
  return FAILS_PATH(to, 0) ? -1 : real(from_place, from, to_place, to);
}

int link(const char *from, const char *to) {
  REAL(int, link, const char *, const char *);
  return FAILS_PATH(to, 1) ? -1 : real(from, to);
}

#define OF_PATH(name)                                                           \
  int name(const char *path) {                                                  \
    REAL(int, name, const char *);                                              \
    return FAILS_PATH(path, 0) ? -1 : real(path);                               \
  }
OF_PATH(unlink)
OF_PATH(rmdir)

int unlinkat(int place, const char *path, int flags) {
  REAL(int, unlinkat, int, const char *, int);
  int is_here = place == AT_FDCWD ? is_below(path) : is_file_below(place);
  return is_here && judge("unlinkat", 0, 0) ? -1 : real(place, path, flags);
}

int mkdir(const char *path, mode_t mode) {
  REAL(int, mkdir, const char *, mode_t);
  return FAILS_PATH(path, 1) ? -1 : real(path, mode);
}

int chmod(const char *path, mode_t mode) {
  REAL(int, chmod, const char *, mode_t);
  return FAILS_PATH(path, 0) ? -1 : real(path, mode);
}

int fchmod(int handle, mode_t mode) {
  REAL(int, fchmod, int, mode_t);
  return FAILS_FILE(handle, 0) ? -1 : real(handle, mode);
}
