/* The system's clock set to another time, for one process: CLOCK_REALTIME is shifted by as many seconds as stand in the
   file that SHIFT_FILE names. The monotonic clock goes on as it is, as in the kernel. Waits until a time of that clock are
   shifted back, or they would not end when they should: the C++ library of older systems waits so for any span.

   `this_threads_clock` gives the calling thread a clock of its own: shifted, standing still, or one that counts in large
   steps. Other threads, such as those of the middleware, keep the right one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static volatile int64_t *shift_s;
static int (*real_gettime)(clockid_t, struct timespec *);

/* A thread's own clock, ns: what it is shifted by, the time at which it stands unless that is 0, and its steps. */
static _Thread_local int64_t own_shift, own_standstill, own_step;

void this_threads_clock(int64_t shift, int64_t standstill, int64_t step)
{
    own_shift = shift;
    own_standstill = standstill;
    own_step = step;
}

static void tell_own(struct timespec *time)
{
    int64_t now = own_standstill ? own_standstill : (int64_t)time->tv_sec * 1000000000 + time->tv_nsec + own_shift;
    now -= own_step ? now % own_step : 0;
    time->tv_sec = now / 1000000000;
    time->tv_nsec = now % 1000000000;
}

__attribute__((constructor)) static void open_shift(void)
{
    real_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    const char *name = getenv("SHIFT_FILE");
    int file = name ? open(name, O_RDONLY) : -1;
    void *mapped = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *shift_s, PROT_READ, MAP_SHARED, file, 0);
    shift_s = mapped == MAP_FAILED ? NULL : mapped;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    if (!real_gettime)
        open_shift();
    int result = real_gettime(clock, time);
    if (!result && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        time->tv_sec += shift_s ? *shift_s : 0;
        if (own_shift || own_standstill || own_step)
            tell_own(time);
    }
    return result;
}

/* A time of the shifted clock as the kernel knows it; a monotonic one, of which the same functions may be given one, is
   decades younger. */
static struct timespec unshifted(const struct timespec *until)
{
    struct timespec real = *until;
    if (shift_s && real.tv_sec > 500000000)
        real.tv_sec -= *shift_s;
    return real;
}

static void *next(const char *name, const char *version)
{
    void *found = dlvsym(RTLD_NEXT, name, version);
    return found ? found : dlsym(RTLD_NEXT, name);
}

int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until)
{
    static int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    if (!real)
        real = next("pthread_cond_timedwait", "GLIBC_2.3.2");
    struct timespec time = unshifted(until);
    return real(condition, mutex, &time);
}

int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict until)
{
    static int (*real)(pthread_mutex_t *, const struct timespec *);
    if (!real)
        real = next("pthread_mutex_timedlock", "GLIBC_2.2.5");
    struct timespec time = unshifted(until);
    return real(mutex, &time);
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    (void)zone;
    struct timespec time;
    int result = clock_gettime(CLOCK_REALTIME, &time);
    now->tv_sec = time.tv_sec;
    now->tv_usec = time.tv_nsec / 1000;
    return result;
}

time_t time(time_t *into)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (into)
        *into = now.tv_sec;
    return now.tv_sec;
}
