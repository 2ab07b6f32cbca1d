#pragma once

// The private pipe to b2c-run: standard input is one end of a pair of sockets. Each message is a line of JSON, an object
// with a "type". Unlike a port, the pipe is not accessible to other programs.
//
// From b2c-run:
//   open        the first message: url; redirect_uri; policy, the policy of the url; code, which the user enters;
//               ca_file, certificates that are trusted besides the system's; cookies of earlier windows; hidden, for a
//               trip without a user
//   decision    id, the navigation; decision: "show", "hide" or "refuse"; why, the reason of a refusal
//   finish      requests the cookies and the end
// To b2c-run:
//   navigation  id, url; redirected, by_person; fields of a form that is posted to the redirect URI. The navigation waits
//               for its decision.
//   loaded      url: a page has been loaded
//   titled      url, title, status of the response. The page is drawn
//   closed      the user closed the window
//   failed      reason: "no_display", "certificate", "page" or "engine"; url, message
//   cookies     cookies: all cookies
//
// This program ends when the other end of the pipe is closed, at the latest when b2c-run ends.

#include <jansson.h>

/// Called for each message. The caller keeps the object.
typedef void (*pipe_handler)(const char *type, json_t *message);

/// Starts to read on the main loop.
void pipe_start(pipe_handler handler);

/// Sends an object and releases it.
void pipe_send(json_t *message);

/// Sends {"type":"failed"}; `url` may be NULL.
void pipe_fail(const char *reason, const char *url, const char *message);
