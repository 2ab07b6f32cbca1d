#define _GNU_SOURCE
#include "CLuaShims.h"
#include "coutput.h"
#include "internal.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// The signal by which another thread reaches the one that runs Lua. What it is to do there was left in `requests`.

enum { longest_place = 200, longest_name = 100 };

// The states of the Lua thread; changed on that thread alone.
static luas_host *volatile hosts;
static volatile int requests;

// The place of a script that does not stop, for the thread that asked.
static char place[longest_place];
// The host function that is in control.
static char call[longest_name];
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

static void catch_faults(void) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE};
    struct sigaction action = {.sa_handler = fault};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigaction(faults[i], &action, NULL);
    place[0] = call[0] = '\0';
}

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// The longest time, in seconds, that a call may run on after a request to stop. The processor time is limited because it does
// not depend on the load of the machine; the elapsed time is limited because a call may sleep.
static const double most_computing = 0.04, most_waiting = 0.5;

// True if nothing new has begun for too long.
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
static void answer(luas_host *host) {
    lua_State *running = host->running;
    if (running == NULL || host->swift_depth > 0 || !is_stuck(host)) return;
    catch_faults();
    find_place(running);
    sem_post(&answered);
    while (true) pause();
}

// Answers whoever is in control: a host function that was called, the asynchronous part of one, or Lua.
static void answer_finally(void) {
    catch_faults();
    luas_host *host = hosts;
    while (host != NULL && host->running == NULL) host = host->next;
    if (host != NULL) {
        if (host->swift_depth > 0 && host->invoked != NULL && host->whereabouts != NULL)
            host->whereabouts(host, host->invoked, call, sizeof call);
        find_place(host->running);
    } else {
        for (host = hosts; host != NULL && call[0] == '\0'; host = host->next) {
            lua_State *waiting = host->whereabouts == NULL ? NULL : host->whereabouts(host, NULL, call, sizeof call);
            if (waiting != NULL) find_place(waiting);
        }
    }
    sem_post(&answered);
    while (true) pause();
}

static void on_signal(int number) {
    (void)number;
    int error = errno, wanted = __atomic_exchange_n(&requests, 0, __ATOMIC_ACQ_REL);
    if (wanted == 0) wanted = LUAS_STOP;
    for (luas_host *host = hosts; host != NULL; host = host->next) {
        if (wanted & (LUAS_STOP | LUAS_REPORT)) luas_request(host, wanted & (LUAS_STOP | LUAS_REPORT));
        if (wanted & LUAS_PLACE) answer(host);
    }
    if (wanted & LUAS_FINAL_PLACE) answer_finally();
    errno = error;
}

void luas_obey(luas_host *host, int number) {
    if (hosts == NULL) sem_init(&answered, 0, 0);
    host->next = hosts;
    hosts = host;
    coutput_gives_up_when(luas_isanystopping);
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

bool luas_isanystopping(void) {
    for (luas_host *host = hosts; host != NULL; host = host->next)
        if (luas_isstopping(host)) return true;
    return false;
}

void luas_prepare(int request) { __atomic_fetch_or(&requests, request, __ATOMIC_ACQ_REL); }

const char *luas_stuckplace(int milliseconds, const char **name) {
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_nsec += (long)milliseconds * 1000000;
    limit.tv_sec += limit.tv_nsec / 1000000000;
    limit.tv_nsec %= 1000000000;
    while (sem_timedwait(&answered, &limit) != 0)
        if (errno != EINTR) return NULL;
    *name = call;
    return place;
}

// --- Ending ---------------------------------------------------------------------------------------------------------

static volatile int end_status;

static void end_now(int number) {
    (void)number;
    _exit(end_status);
}

void luas_endafter(int milliseconds, int status) {
    end_status = status;
    struct sigaction action = {.sa_handler = end_now};
    sigaction(SIGALRM, &action, NULL);
    sigset_t unblocked;
    sigemptyset(&unblocked);
    sigaddset(&unblocked, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &unblocked, NULL);
    struct itimerval time = {
        .it_value = {.tv_sec = milliseconds / 1000, .tv_usec = (suseconds_t)(milliseconds % 1000) * 1000}};
    setitimer(ITIMER_REAL, &time, NULL);
}
