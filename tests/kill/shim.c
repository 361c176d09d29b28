/* Counts the calls that change a file, and kills the process at a given one: loaded with LD_PRELOAD.

   A write is killed before it or, if `torn` is set, after half of its bytes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls = 0;
static long at = -1;
static int torn = 0;

void shim_arm(long number, int half) { atomic_store(&calls, 0); torn = half; at = number; }
long shim_calls(void) { return atomic_load(&calls); }

static void die(void) { kill(getpid(), SIGKILL); for (;;) pause(); }

/* Returns 1 if this is the call to die at, and it is to be torn. */
static int step(void) {
  if (at < 0) return 0;
  long here = atomic_fetch_add(&calls, 1) + 1;
  if (here != at) return 0;
  if (!torn) die();
  return 1;
}

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

static int is_file(int fd) { struct stat s; return fstat(fd, &s) == 0 && S_ISREG(s.st_mode); }

ssize_t write(int fd, const void *data, size_t n) {
  if (at >= 0 && is_file(fd) && step()) { REAL(write)(fd, data, n / 2); die(); }
  return REAL(write)(fd, data, n);
}
ssize_t pwrite64(int fd, const void *data, size_t n, off64_t place) {
  if (at >= 0 && is_file(fd) && step()) { REAL(pwrite64)(fd, data, n / 2, place); die(); }
  return REAL(pwrite64)(fd, data, n, place);
}
ssize_t writev(int fd, const struct iovec *parts, int n) {
  if (at >= 0 && is_file(fd) && step()) { REAL(writev)(fd, parts, n / 2); die(); }
  return REAL(writev)(fd, parts, n);
}

#define DIES(type, name, parameters, arguments) \
  type name parameters { if (step()) { REAL(name) arguments; die(); } return REAL(name) arguments; }
DIES(int, rename, (const char *a, const char *b), (a, b))
DIES(int, renameat, (int d, const char *a, int e, const char *b), (d, a, e, b))
DIES(int, renameat2, (int d, const char *a, int e, const char *b, unsigned f), (d, a, e, b, f))
DIES(int, unlink, (const char *a), (a))
DIES(int, unlinkat, (int d, const char *a, int f), (d, a, f))
DIES(int, rmdir, (const char *a), (a))
DIES(int, mkdir, (const char *a, mode_t m), (a, m))
DIES(int, mkdirat, (int d, const char *a, mode_t m), (d, a, m))
DIES(int, fsync, (int fd), (fd))
DIES(int, fdatasync, (int fd), (fd))
DIES(int, ftruncate, (int fd, off_t n), (fd, n))
DIES(int, ftruncate64, (int fd, off64_t n), (fd, n))
DIES(int, chmod, (const char *a, mode_t m), (a, m))
DIES(int, fchmod, (int fd, mode_t m), (fd, m))
DIES(int, fchmodat, (int d, const char *a, mode_t m, int f), (d, a, m, f))

#define OPENS(name, parameters, arguments) \
  int name parameters { \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { va_list more; va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); } \
    if ((flags & (O_CREAT | O_TRUNC)) && step()) { REAL(name) arguments; die(); } \
    return REAL(name) arguments; }
OPENS(open, (const char *path, int flags, ...), (path, flags, mode))
OPENS(open64, (const char *path, int flags, ...), (path, flags, mode))
OPENS(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
OPENS(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
