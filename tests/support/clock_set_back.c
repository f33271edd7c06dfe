/* Loaded before the C library: the machine's clock, set back by CLOCK_SET_BACK_SECONDS for one process and those it starts. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long set_back(void) {
    const char *seconds = getenv("CLOCK_SET_BACK_SECONDS");
    return seconds ? atol(seconds) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *at) {
    static int (*original)(clockid_t, struct timespec *);
    if (!original) original = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = original(clock, at);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) at->tv_sec -= set_back();
    return result;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
    static int (*original)(struct timeval *, void *);
    if (!original) original = (int (*)(struct timeval *, void *))dlsym(RTLD_NEXT, "gettimeofday");
    int result = original(at, zone);
    if (result == 0 && at) at->tv_sec -= set_back();
    return result;
}

time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}
