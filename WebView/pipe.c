#include "pipe.h"

#include <errno.h>
#include <glib-unix.h>
#include <gtk/gtk.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const size_t longest_line = 4 << 20;

static pipe_handler on_message;
static GByteArray *unread;

/// Ends this program, because nobody reads its messages any more. The engine's processes end with it.
static void end(void) { _exit(0); }

static void take_line(const char *line, size_t length) {
    json_t *message = json_loadb(line, length, 0, NULL);
    const char *type = json_string_value(json_object_get(message, "type"));
    // The message is not valid, so the other end is not a working b2c-run.
    if (!type) end();
    on_message(type, message);
    json_decref(message);
}

static void take_lines(void) {
    guint start = 0;
    for (;;) {
        const guint8 *line = unread->data + start;
        const guint8 *stop = memchr(line, '\n', unread->len - start);
        if (!stop) break;
        take_line((const char *)line, stop - line);
        start += stop - line + 1;
    }
    if (start) g_byte_array_remove_range(unread, 0, start);
    if (unread->len > longest_line) end();
}

static gboolean ready(gint descriptor, GIOCondition condition, gpointer data) {
    (void)condition;
    (void)data;
    guint8 bytes[16 << 10];
    ssize_t count = recv(descriptor, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return G_SOURCE_CONTINUE;
    if (count <= 0) end();
    g_byte_array_append(unread, bytes, count);
    take_lines();
    return G_SOURCE_CONTINUE;
}

void pipe_start(pipe_handler handler) {
    on_message = handler;
    unread = g_byte_array_new();
    g_unix_fd_add(STDIN_FILENO, G_IO_IN | G_IO_HUP | G_IO_ERR, ready, NULL);
}

void pipe_send(json_t *message) {
    char *line = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    // Text from outside may not be UTF-8, which JSON requires.
    if (!line) return;
    size_t length = strlen(line);
    line[length++] = '\n';
    for (size_t sent = 0; sent < length;) {
        ssize_t count = send(STDIN_FILENO, line + sent, length - sent, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) end();
        sent += count;
    }
    free(line);
}

void pipe_fail(const char *reason, const char *url, const char *message) {
    json_t *failure = json_pack("{s:s, s:s, s:s}", "type", "failed", "reason", reason, "message", message);
    if (url) json_object_set_new(failure, "url", json_string(url));
    pipe_send(failure);
}
