#pragma once

// The private pipe to b2c-run: standard input is one end of a pair of sockets. Each message is a line of JSON, an object
// with a "type". No other program can get at it, as it could at a port.
//
// From b2c-run:
//   open        once, first: url; redirect_uri; policy, that of the url; code, for the person to enter; ca_file,
//               certificates to trust besides the system's; cookies, those of earlier windows; hidden, for a trip without
//               a person
//   decision    id, of a navigation; decision: "show", "hide" or "refuse"; why, where it is refused
//   finish      asks for the cookies, and ends
// To b2c-run:
//   navigation  id, url; redirected, by_person; fields, where a form is posted to the redirect URI. It waits for its
//               decision.
//   loaded      url: a page is there
//   titled      url, title, status: that of its answer. The page is drawn
//   closed      by the person
//   failed      reason: "no_display", "certificate", "page" or "engine"; url, message
//   cookies     cookies: all there are
//
// When the other end is closed, which is at the latest when b2c-run ends, so does this program.

#include <jansson.h>

/// Called for each message. The object is the caller's.
typedef void (*pipe_handler)(const char *type, json_t *message);

/// Starts to read, on the main loop.
void pipe_start(pipe_handler handler);

/// Sends an object, and gives it up.
void pipe_send(json_t *message);

/// Sends {"type":"failed"}; `url` may be NULL.
void pipe_fail(const char *reason, const char *url, const char *message);
