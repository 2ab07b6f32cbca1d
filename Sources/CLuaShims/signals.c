#define _GNU_SOURCE
#include "CLuaShims.h"
#include "internal.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// The signal by which another thread reaches the one that runs Lua. What it is to do there was left in `requests`.

enum { longest_place = 200 };

// The states of the Lua thread; changed on that thread alone.
static luas_host *volatile hosts;
static volatile int requests;

// Where the script stands that does not stop, for the thread that asked.
static char place[longest_place];
static sem_t answered;

// Script and line of the code that runs, or of what called it. Here Lua may be in the middle of anything.
static void find_place(lua_State *L) {
    lua_Debug frame;
    for (int level = 0; lua_getstack(L, level, &frame); level++) {
        if (!lua_getinfo(L, "Sl", &frame) || frame.currentline < 0) continue;
        snprintf(place, sizeof place, "%s:%d", frame.short_src, frame.currentline);
        return;
    }
}

// Lua's own data was being changed: no place, then.
static void fault(int number) {
    (void)number;
    place[0] = '\0';
    sem_post(&answered);
    while (true) pause();
}

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// What a call may take that does not stop: of the processor's time, so that a busy machine does not count, and of the
// clock's, for what sleeps.
static const double most_computing = 0.04, most_waiting = 0.5;

// Whether nothing new has begun for too long.
static bool is_stuck(luas_host *host) {
    double computed = seconds(CLOCK_THREAD_CPUTIME_ID), now = seconds(CLOCK_MONOTONIC);
    if (host->progress == host->seen.progress)
        return computed - host->seen.computed > most_computing || now - host->seen.time > most_waiting;
    host->seen.progress = host->progress;
    host->seen.computed = computed;
    host->seen.time = now;
    return false;
}

// Answers when Lua, not Swift, has been in control for too long.
static void answer(luas_host *host, bool is_final) {
    lua_State *running = host->running;
    if (running == NULL || host->swift_depth > 0 || !(is_stuck(host) || is_final)) return;
    struct sigaction action = {.sa_handler = fault};
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    find_place(running);
    sem_post(&answered);
    while (true) pause();
}

static void on_signal(int number) {
    (void)number;
    int error = errno, wanted = __atomic_exchange_n(&requests, 0, __ATOMIC_ACQ_REL);
    if (wanted == 0) wanted = LUAS_STOP;
    for (luas_host *host = hosts; host != NULL; host = host->next) {
        if (wanted & (LUAS_STOP | LUAS_REPORT)) luas_request(host, wanted & (LUAS_STOP | LUAS_REPORT));
        if (wanted & (LUAS_PLACE | LUAS_FINAL_PLACE)) answer(host, (wanted & LUAS_FINAL_PLACE) != 0);
    }
    errno = error;
}

void luas_obey(luas_host *host, int number) {
    if (hosts == NULL) sem_init(&answered, 0, 0);
    host->next = hosts;
    hosts = host;
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
    // A thread inherits the mask of the one that started it, and pool threads block every signal.
    sigset_t unblocked;
    sigemptyset(&unblocked);
    sigaddset(&unblocked, number);
    pthread_sigmask(SIG_UNBLOCK, &unblocked, NULL);
}

void luas_forget(luas_host *host) {
    if (hosts == host) {
        hosts = host->next;
        return;
    }
    for (luas_host *other = hosts; other != NULL; other = other->next) {
        if (other->next != host) continue;
        other->next = host->next;
        return;
    }
}

void luas_prepare(int request) { __atomic_fetch_or(&requests, request, __ATOMIC_ACQ_REL); }

const char *luas_stuckplace(int milliseconds) {
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_nsec += (long)milliseconds * 1000000;
    limit.tv_sec += limit.tv_nsec / 1000000000;
    limit.tv_nsec %= 1000000000;
    while (sem_timedwait(&answered, &limit) != 0)
        if (errno != EINTR) return NULL;
    return place;
}
