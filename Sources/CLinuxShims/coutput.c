#define _GNU_SOURCE
#include "coutput.h"
#include "cstream.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int closed_output_signal;
static bool (*gives_up)(void);

void coutput_gives_up_when(bool (*condition)(void)) { gives_up = condition; }

static bool is_given_up(void) { return gives_up != NULL && gives_up(); }

// The cookie of a stream is the number of its descriptor.
static int descriptor_of(void *cookie) { return (int)(intptr_t)cookie; }

static ssize_t read_stream(void *cookie, char *bytes, size_t count) {
    return cstream_read(descriptor_of(cookie), bytes, count, is_given_up);
}

static ssize_t write_stream(void *cookie, const char *bytes, size_t count) {
    return (ssize_t)cstream_write(descriptor_of(cookie), bytes, count, is_given_up);
}

static int seek_stream(void *cookie, off64_t *offset, int whence) {
    off64_t result = lseek64(descriptor_of(cookie), *offset, whence);
    if (result >= 0) *offset = result;
    return result >= 0 ? 0 : -1;
}

static int close_stream(void *cookie) { return close(descriptor_of(cookie)); }

static FILE *stream_of(int descriptor, const char *mode, cookie_io_functions_t functions) {
    functions.read = read_stream;
    if (functions.write == NULL) functions.write = write_stream;
    return fopencookie((void *)(intptr_t)descriptor, mode, functions);
}

FILE *coutput_pipe(int descriptor, const char *mode) {
    return stream_of(descriptor, mode, (cookie_io_functions_t){.close = close_stream});
}

int coutput_descriptor(FILE *stream) {
    return stream == stdin ? STDIN_FILENO : stream == stdout ? STDOUT_FILENO : stream == stderr ? STDERR_FILENO : fileno(stream);
}

void coutput_flush_lines(void) { setvbuf(stdout, NULL, _IOLBF, BUFSIZ); }

void coutput_write(const void *bytes, size_t count) { fwrite(bytes, 1, count, stdout); }

// True if stdout is a pipe or socket whose reader has gone. Async-signal-safe.
static bool is_output_closed(void) {
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

static void (*before_output)(void);

// True if the last byte that went to the screen ended a line.
static bool is_at_line_start = true;

bool coutput_is_at_line_start(void) { return is_at_line_start; }

// The output that is kept while another part of the program uses the screen.
static bool is_held;
static char *held;
static size_t held_count;

static ssize_t write_to_screen(void *cookie, const char *bytes, size_t count) {
    (void)cookie;
    if (is_held) {
        char *larger = realloc(held, held_count + count);
        if (larger == NULL) return 0;
        memcpy(larger + held_count, bytes, count);
        held = larger;
        held_count += count;
        return (ssize_t)count;
    }
    before_output();
    if (count > 0) is_at_line_start = bytes[count - 1] == '\n';
    return write_stream((void *)(intptr_t)STDOUT_FILENO, bytes, count);
}

void coutput_hold_screen(bool is_to_hold) {
    is_held = is_to_hold && before_output != NULL;
    if (is_held || held == NULL) return;
    char *bytes = held;
    size_t count = held_count;
    held = NULL;
    held_count = 0;
    write_to_screen(NULL, bytes, count);
    free(bytes);
}

// For scripts that end the process with os.exit.
static void release_at_exit(void) {
    fflush(stdout);
    coutput_hold_screen(false);
}

static void open_screen(void (*before)(void)) {
    FILE *screen = stream_of(STDOUT_FILENO, "w", (cookie_io_functions_t){.write = write_to_screen});
    if (screen == NULL) return;
    setvbuf(screen, NULL, _IOLBF, BUFSIZ);
    before_output = before;
    // Registers before the code that restores the screen at exit, and so runs after it.
    atexit(release_at_exit);
    stdout = screen;
}

void coutput_open_standard_streams(void (*before)(void)) {
    if (before_output != NULL) return;
    cookie_io_functions_t functions = {.seek = seek_stream};
    FILE *input = stream_of(STDIN_FILENO, "r", functions), *errors = stream_of(STDERR_FILENO, "w", functions);
    if (input != NULL) {
        // Reading from a line-buffered stream writes the prompt that waits in stdout.
        if (isatty(STDIN_FILENO)) setvbuf(input, NULL, _IOLBF, BUFSIZ);
        stdin = input;
    }
    if (errors != NULL) {
        setvbuf(errors, NULL, _IONBF, 0);
        stderr = errors;
    }
    if (isatty(STDOUT_FILENO)) return open_screen(before);
    FILE *output = stream_of(STDOUT_FILENO, "w", functions);
    if (output != NULL) stdout = output;
}

// The captured output, and the stream that is restored afterwards. Captures can be nested: a test's capture contains the
// capture of a script that the test runs.
enum { most_captures = 2 };
static struct capture {
    FILE *before;
    FILE *stream;
    char *bytes;
    size_t count, room, limit;
} captures[most_captures];
static int capture_count;

static ssize_t keep(void *cookie, const char *bytes, size_t count) {
    struct capture *captured = cookie;
    size_t left = captured->limit - captured->count;
    size_t kept = count < left ? count : left;
    if (captured->count + kept > captured->room) {
        size_t room = captured->room == 0 ? 4096 : captured->room;
        while (room < captured->count + kept) room *= 2;
        char *larger = realloc(captured->bytes, room);
        if (larger == NULL) return (ssize_t)count;
        captured->bytes = larger;
        captured->room = room;
    }
    memcpy(captured->bytes + captured->count, bytes, kept);
    captured->count += kept;
    return (ssize_t)count;
}

bool coutput_capture(size_t limit) {
    if (capture_count == most_captures) return false;
    struct capture *captured = &captures[capture_count];
    FILE *stream = fopencookie(captured, "w", (cookie_io_functions_t){.write = keep});
    if (stream == NULL) return false;
    capture_count++;
    captured->before = stdout;
    captured->stream = stream;
    captured->limit = limit;
    stdout = stream;
    return true;
}

char *coutput_captured(size_t *length) {
    *length = 0;
    if (capture_count == 0) return NULL;
    struct capture *captured = &captures[--capture_count];
    stdout = captured->before;
    fclose(captured->stream);
    char *bytes = captured->bytes;
    *length = captured->count;
    *captured = (struct capture){0};
    return bytes;
}

int coutput_flush(void) {
    if (fflush(stdout) != 0) return errno;
    if (!ferror(stdout)) return 0;
    int problem = cstream_problem(STDOUT_FILENO);
    return problem != 0 ? problem : is_output_closed() ? EPIPE : EIO;
}

void coutput_try_flush(void) {
    if (ftrylockfile(stdout) != 0) return;
    fflush_unlocked(stdout);
    funlockfile(stdout);
}

// SIGPIPE is also sent for sockets; there the failed write is enough.
static void broken_pipe(int number) {
    int error = errno;
    (void)number;
    if (is_output_closed()) kill(getpid(), closed_output_signal);
    errno = error;
}

void coutput_signal_closed(int number) {
    struct sigaction action = {.sa_handler = broken_pipe, .sa_flags = SA_RESTART};
    closed_output_signal = number;
    sigaction(SIGPIPE, &action, NULL);
}
