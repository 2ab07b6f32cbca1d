#define _GNU_SOURCE
#include "internal.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// The programs that os.execute and io.popen start. A stopping script ends the programs that it waits for, with all their
// descendants, because a shell that ends alone would leave its commands running.

enum { most_children = 256, most_relatives = 4096 };

// The children that the program has not waited for; 0 marks a free place. Other threads read this array.
static volatile pid_t children[most_children];

static void remember(pid_t child) {
    for (int i = 0; i < most_children; i++) {
        if (children[i] != 0) continue;
        children[i] = child;
        return;
    }
}

static void forget(pid_t child) {
    for (int i = 0; i < most_children; i++)
        if (children[i] == child) children[i] = 0;
}

int luas_startchild(const char *command, int pipe_end, int *descriptor, pid_t *child) {
    int ends[2] = {-1, -1};
    if (pipe_end >= 0 && pipe2(ends, O_CLOEXEC) != 0) return errno;
    // `theirs` is the child's end of the pipe: the writing end if the pipe is for the child's output.
    int theirs = pipe_end == 1 ? ends[1] : ends[0], ours = pipe_end == 1 ? ends[0] : ends[1];
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure == 0) {
        if (pipe_end >= 0) failure = posix_spawn_file_actions_adddup2(&actions, theirs, pipe_end);
        if (failure == 0 && (failure = posix_spawnattr_init(&attributes)) == 0) {
            // The host handles signals in one thread and blocks them in the others, but signals must end a child.
            // SIGQUIT asks only the host for its place.
            sigset_t blocked, usual;
            sigemptyset(&blocked);
            sigaddset(&blocked, SIGQUIT);
            sigemptyset(&usual);
            sigaddset(&usual, SIGUSR1);
            sigaddset(&usual, SIGPIPE);
            sigaddset(&usual, SIGXFSZ);
            posix_spawnattr_setsigmask(&attributes, &blocked);
            posix_spawnattr_setsigdefault(&attributes, &usual);
            posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
            char *const arguments[] = {"sh", "-c", "--", (char *)command, NULL};
            failure = posix_spawn(child, "/bin/sh", &actions, &attributes, arguments, environ);
            posix_spawnattr_destroy(&attributes);
        }
        posix_spawn_file_actions_destroy(&actions);
    }
    if (pipe_end >= 0) {
        close(theirs);
        if (failure == 0) *descriptor = ours;
        else close(ours);
    }
    if (failure == 0) remember(*child);
    return failure;
}

// --- Ending them ----------------------------------------------------------------------------------------------------

// Returns the parent of a process; 0 if the process has ended.
static pid_t parent_of(pid_t process) {
    char path[40], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    if (count <= 0) return 0;
    text[count] = '\0';
    // The name, in parentheses, may contain any characters.
    const char *behind = strrchr(text, ')');
    int parent = 0;
    return behind != NULL && sscanf(behind + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

typedef struct family {
    pid_t members[most_relatives];
    int count;
} family;

static bool has(const family *family, pid_t process) {
    for (int i = 0; i < family->count; i++)
        if (family->members[i] == process) return true;
    return false;
}

static void add(family *family, pid_t process) {
    if (family->count < most_relatives) family->members[family->count++] = process;
}

// Adds all descendants of the members until there are no new ones. The processes are stopped meanwhile.
static void complete(family *family) {
    int before = -1;
    while (family->count != before) {
        before = family->count;
        DIR *processes = opendir("/proc");
        if (processes == NULL) return;
        for (struct dirent *entry; (entry = readdir(processes)) != NULL;) {
            pid_t process = (pid_t)strtol(entry->d_name, NULL, 10);
            if (process <= 0 || has(family, process) || !has(family, parent_of(process))) continue;
            kill(process, SIGSTOP);
            add(family, process);
        }
        closedir(processes);
    }
}

static void signal_all(const family *family, int number) {
    for (int i = 0; i < family->count; i++) kill(family->members[i], number);
}

static bool is_running(pid_t process) {
    siginfo_t state = {0};
    return waitid(P_PID, (id_t)process, &state, WEXITED | WNOHANG | WNOWAIT) == 0 && state.si_pid == 0;
}

// Ends the children and all their descendants, and gives them a short time for their cleanup.
static void end_families(const pid_t *roots, int count) {
    family relatives = {.count = 0};
    for (int i = 0; i < count; i++) {
        if (roots[i] == 0) continue;
        kill(roots[i], SIGSTOP);
        add(&relatives, roots[i]);
    }
    if (relatives.count == 0) return;
    complete(&relatives);
    signal_all(&relatives, SIGTERM);
    signal_all(&relatives, SIGCONT);
    for (int round = 0; round < 10; round++) {
        bool runs = false;
        for (int i = 0; i < count; i++) runs = runs || (roots[i] != 0 && is_running(roots[i]));
        if (!runs) break;
        nanosleep(&(struct timespec){.tv_nsec = 5 * 1000 * 1000}, NULL);
    }
    signal_all(&relatives, SIGKILL);
}

void luas_endchildren(void) {
    pid_t roots[most_children];
    for (int i = 0; i < most_children; i++) roots[i] = children[i];
    end_families(roots, most_children);
}

int luas_waitchild(lua_State *L, pid_t child) {
    luas_host *host = luas_gethost(L);
    int status;
    // A signal ends the wait; the signal that asks for a stop is repeated until the script stops.
    while (waitpid(child, &status, 0) != child) {
        if (errno != EINTR) {
            status = -1;
            break;
        }
        if (luas_muststop(host)) end_families(&child, 1);
        else luas_poll(L);
    }
    forget(child);
    int error = errno;
    luas_poll(L);
    errno = error;
    return status;
}
