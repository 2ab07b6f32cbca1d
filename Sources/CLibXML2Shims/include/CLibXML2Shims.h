#pragma once

// libxml2, loaded when the first page or property list is read.
//
// Why not linked: it brings ICU, which the dynamic loader would load at every start, and many runs read neither. Why
// its own types are not seen here: its headers lie in a folder of their own, which every target above would have to
// know, and what they declare for ICU gets in the way of Foundation's ICU.

#include <stdbool.h>
#include <stddef.h>

/// Loads it and makes it ready for several threads, once and from any thread. Nil when it is there, else what the
/// dynamic loader says. Every other function here is called after this one returned nil.
const char *_Nullable cxml_load(void);

typedef struct _xmlDoc cxml_document;
/// A node of a document's tree. Lives as long as the document.
typedef struct _xmlNode cxml_node;

/// Reads a page, and repairs whatever is wrong with it. Nothing is fetched. Nil when there is no page at all. To be
/// freed with `cxml_free`.
/// - Parameter encoding: nil for what the page itself declares.
cxml_document *_Nullable cxml_read_html(const void *_Nullable bytes, size_t size, const char *_Nullable encoding);

/// Told of an error in a document: its line and libxml2's message, which ends with a line break.
typedef void (*cxml_report)(void *_Nullable context, int line, const char *_Nonnull message);

/// Reads an XML document, with CDATA sections as text, and loads no document type definition. Nothing is fetched. To be
/// freed with `cxml_free`. Errors are told to `report` before this returns.
cxml_document *_Nullable cxml_read_xml(
    const void *_Nullable bytes, size_t size, cxml_report _Nonnull report, void *_Nullable context);

void cxml_free(cxml_document *_Nonnull document);
cxml_node *_Nullable cxml_root(cxml_document *_Nonnull document);
/// Whether the document declares entities of its own.
bool cxml_declares_entities(const cxml_document *_Nonnull document);

bool cxml_is_element(const cxml_node *_Nonnull node);
/// Also a CDATA section.
bool cxml_is_text(const cxml_node *_Nonnull node);
/// An entity that stayed unresolved; its name is the node's.
bool cxml_is_reference(const cxml_node *_Nonnull node);

const char *_Nullable cxml_name(const cxml_node *_Nonnull node);
const char *_Nullable cxml_content(const cxml_node *_Nonnull node);
/// Counted from 1.
long cxml_line(const cxml_node *_Nonnull node);
cxml_node *_Nullable cxml_first_child(const cxml_node *_Nonnull node);
cxml_node *_Nullable cxml_next(const cxml_node *_Nonnull node);
/// Whether the element has that attribute; `value` becomes the first node of its text, nil when that is empty.
bool cxml_attribute(
    const cxml_node *_Nonnull node, const char *_Nonnull name, cxml_node *_Nullable *_Nonnull value);
