#pragma once

// libxml2, loaded when the first page or property list is read.
//
// Why not linked: it brings ICU, which the dynamic loader would load at every start, and many runs read neither. Why this
// header has types of its own: libxml2's headers are in a folder that every target above would have to know, and their
// declarations for ICU collide with Foundation's ICU.

#include <stdbool.h>
#include <stddef.h>

/// Loads the library once, from any thread. Returns nil, or the dynamic loader's message. Call it before the other functions.
const char *_Nullable cxml_load(void);

typedef struct _xmlDoc cxml_document;
/// A node of a document's tree. It lives as long as the document.
typedef struct _xmlNode cxml_node;

/// Reads a page and repairs its mistakes. Nothing is fetched. Nil if there is no page. Free it with `cxml_free`.
/// - Parameter encoding: nil for the encoding that the page declares.
cxml_document *_Nullable cxml_read_html(const void *_Nullable bytes, size_t size, const char *_Nullable encoding);

/// A callback for an error in a document: the line and libxml2's message, which ends with a line break.
typedef void (*cxml_report)(void *_Nullable context, int line, const char *_Nonnull message);

/// Reads an XML document, with CDATA sections as text and without its document type definition. Nothing is fetched. Free it
/// with `cxml_free`. Errors are passed to `report` before this returns.
cxml_document *_Nullable cxml_read_xml(
    const void *_Nullable bytes, size_t size, cxml_report _Nonnull report, void *_Nullable context);

void cxml_free(cxml_document *_Nonnull document);
cxml_node *_Nullable cxml_root(cxml_document *_Nonnull document);

bool cxml_is_element(const cxml_node *_Nonnull node);
/// Also a CDATA section.
bool cxml_is_text(const cxml_node *_Nonnull node);
/// True for an unresolved entity. The node has its name.
bool cxml_is_reference(const cxml_node *_Nonnull node);

const char *_Nullable cxml_name(const cxml_node *_Nonnull node);
const char *_Nullable cxml_content(const cxml_node *_Nonnull node);
/// Counted from 1.
long cxml_line(const cxml_node *_Nonnull node);
cxml_node *_Nullable cxml_first_child(const cxml_node *_Nonnull node);
cxml_node *_Nullable cxml_next(const cxml_node *_Nonnull node);
/// The URI of an element's or attribute's namespace; nil without one.
const char *_Nullable cxml_namespace(const cxml_node *_Nonnull node);
/// The prefix of the name as it is written; nil without one.
const char *_Nullable cxml_prefix(const cxml_node *_Nonnull node);
/// The first attribute of an element, as a node with a name, a prefix and, as children, its text; the others follow it.
cxml_node *_Nullable cxml_first_attribute(const cxml_node *_Nonnull node);

/// True if the element has that attribute. `value` becomes the first node of its text; nil for an empty text.
bool cxml_attribute(
    const cxml_node *_Nonnull node, const char *_Nonnull name, cxml_node *_Nullable *_Nonnull value);

/// A document that is parsed while it comes, piece by piece.
typedef struct cxml_stream cxml_stream;

/// The functions that `cxml_stream` calls. Texts are UTF-8 and valid until the call returns. Entities and CDATA sections are resolved.
typedef struct {
  /// An element begins. `name` has no prefix and ends with a zero. `attributes` has five pointers for each attribute: name
  /// without prefix, prefix, namespace, and the beginning and the end of the value.
  void (*_Nonnull start)(void *_Nonnull context, const char *_Nonnull name, int count,
                         const unsigned char *_Nullable const *_Nullable attributes);
  void (*_Nonnull end)(void *_Nonnull context, const char *_Nonnull name);
  void (*_Nonnull text)(void *_Nonnull context, const char *_Nonnull bytes, int size);
  cxml_report _Nonnull error;
} cxml_events;

/// Nothing is fetched, and a document that declares entities is refused. Nil without memory. Close it with
/// `cxml_stream_close`. `events` and `context` must live as long.
cxml_stream *_Nullable cxml_stream_open(const cxml_events *_Nonnull events, void *_Nonnull context);
/// Parses the next bytes; none with `is_last` at the end. Errors go to `events`.
void cxml_stream_add(cxml_stream *_Nonnull stream, const void *_Nullable bytes, int size, bool is_last);
void cxml_stream_close(cxml_stream *_Nonnull stream);
