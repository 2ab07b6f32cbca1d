#include "CLibXML2Shims.h"

#include <limits.h>
#include <stdlib.h>

#if !__has_include(<libxml/parser.h>)
#error "libxml2's headers are missing; install the package libxml2-dev"
#endif
#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/tree.h>

// The layout of the structures that are read here depends on the library's version, which is part of the file's name.
#if LIBXML_VERSION >= 21400
#define LAZY_FILES "libxml2.so.16"
#else
#define LAZY_FILES "libxml2.so.2"
#endif

#define LAZY_LIBRARY xml
#define LAZY_LOAD cxml_load
#define LAZY_READY initialize
#define LAZY_FUNCTIONS(X)                                                                                              \
  X(xmlInitParser) X(htmlReadMemory) X(xmlNewParserCtxt) X(xmlFreeParserCtxt) X(xmlCtxtReadMemory) X(xmlFreeDoc)       \
  X(xmlDocGetRootElement) X(xmlGetLineNo) X(xmlHasProp) X(xmlStopParser) X(xmlCreatePushParserCtxt) X(xmlParseChunk)    \
  X(xmlCtxtUseOptions)
#include "lazy_library.h"

// The parser is initialized before two threads use it at the same time.
static const char *initialize(void) {
  xml.xmlInitParser();
  return NULL;
}

static int clamped(size_t size) { return size > INT_MAX ? INT_MAX : (int)size; }

cxml_document *cxml_read_html(const void *bytes, size_t size, const char *encoding) {
  int options = HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET;
  return xml.htmlReadMemory(bytes, clamped(size), NULL, encoding, options);
}

typedef struct {
  cxml_report report;
  void *context;
} reader;

#if LIBXML_VERSION >= 21200
static void add(void *parser, const xmlError *error) {
#else
static void add(void *parser, xmlErrorPtr error) {
#endif
  if (!parser || !error || error->level < XML_ERR_ERROR) return;
  const reader *self = ((xmlParserCtxtPtr)parser)->_private;
  if (self) self->report(self->context, error->line, error->message ? error->message : "not well-formed");
}

// The parser is stopped at the first declaration: entities, also parameter entities, may grow without end.
static void refuse_entity(void *parser, const xmlChar *name, int type, const xmlChar *public_id, const xmlChar *system_id,
                          xmlChar *content) {
  xmlParserCtxtPtr context = parser;
  const reader *self = context->_private;
  if (self)
    self->report(self->context, context->input ? context->input->line : 1,
                 "the document declares entities, which is not supported");
  xml.xmlStopParser(context);
}

cxml_document *cxml_read_xml(const void *bytes, size_t size, cxml_report report, void *context) {
  xmlParserCtxtPtr parser = xml.xmlNewParserCtxt();
  if (!parser) {
    report(context, 1, "libxml2 has no memory left");
    return NULL;
  }
  reader self = {report, context};
  parser->_private = &self;
  if (parser->sax) {
    parser->sax->serror = add;
    parser->sax->entityDecl = refuse_entity;
  }
  int options = XML_PARSE_NONET | XML_PARSE_NOCDATA | XML_PARSE_BIG_LINES;
  xmlDocPtr document = xml.xmlCtxtReadMemory(parser, bytes, clamped(size), NULL, NULL, options);
  xml.xmlFreeParserCtxt(parser);
  return document;
}

void cxml_free(cxml_document *document) { xml.xmlFreeDoc(document); }
cxml_node *cxml_root(cxml_document *document) { return xml.xmlDocGetRootElement(document); }

bool cxml_is_element(const cxml_node *node) { return node->type == XML_ELEMENT_NODE; }
bool cxml_is_text(const cxml_node *node) { return node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE; }
bool cxml_is_reference(const cxml_node *node) { return node->type == XML_ENTITY_REF_NODE; }

const char *cxml_name(const cxml_node *node) { return (const char *)node->name; }
const char *cxml_content(const cxml_node *node) { return (const char *)node->content; }
long cxml_line(const cxml_node *node) { return xml.xmlGetLineNo(node); }
cxml_node *cxml_first_child(const cxml_node *node) { return node->children; }
cxml_node *cxml_next(const cxml_node *node) { return node->next; }

// An attribute begins with the members of a node up to the document, and has its namespace elsewhere.
static const xmlNs *namespace(const cxml_node *node) {
  return node->type == XML_ATTRIBUTE_NODE ? ((const xmlAttr *)node)->ns : node->ns;
}
const char *cxml_namespace(const cxml_node *node) {
  const xmlNs *ns = namespace(node);
  return ns ? (const char *)ns->href : NULL;
}
const char *cxml_prefix(const cxml_node *node) {
  const xmlNs *ns = namespace(node);
  return ns ? (const char *)ns->prefix : NULL;
}
cxml_node *cxml_first_attribute(const cxml_node *node) {
  return node->type == XML_ELEMENT_NODE ? (cxml_node *)node->properties : NULL;
}

bool cxml_attribute(const cxml_node *node, const char *name, cxml_node **value) {
  const xmlAttr *attribute = xml.xmlHasProp(node, (const xmlChar *)name);
  *value = attribute ? attribute->children : NULL;
  return attribute != NULL;
}

struct cxml_stream {
  // First, so that `add` and `refuse_entity` find it.
  reader reader;
  const cxml_events *events;
  xmlParserCtxtPtr parser;
};

static cxml_stream *stream_of(void *parser) { return ((xmlParserCtxtPtr)parser)->_private; }

static void start_element(void *parser, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int spaces,
                          const xmlChar **declared, int count, int defaulted, const xmlChar **attributes) {
  (void)prefix, (void)uri, (void)spaces, (void)declared, (void)defaulted;
  cxml_stream *self = stream_of(parser);
  self->events->start(self->reader.context, (const char *)name, count, (const unsigned char *const *)attributes);
}

static void end_element(void *parser, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
  (void)prefix, (void)uri;
  cxml_stream *self = stream_of(parser);
  self->events->end(self->reader.context, (const char *)name);
}

static void characters(void *parser, const xmlChar *bytes, int size) {
  cxml_stream *self = stream_of(parser);
  self->events->text(self->reader.context, (const char *)bytes, size);
}

cxml_stream *cxml_stream_open(const cxml_events *events, void *context) {
  cxml_stream *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  xmlSAXHandler handler = {
      .initialized = XML_SAX2_MAGIC,
      .startElementNs = start_element,
      .endElementNs = end_element,
      .characters = characters,
      .cdataBlock = characters,
      .ignorableWhitespace = characters,
      .entityDecl = refuse_entity,
      .serror = (xmlStructuredErrorFunc)add,
  };
  self->reader = (reader){events->error, context};
  self->events = events;
  self->parser = xml.xmlCreatePushParserCtxt(&handler, NULL, NULL, 0, NULL);
  if (!self->parser) {
    free(self);
    return NULL;
  }
  xml.xmlCtxtUseOptions(self->parser, XML_PARSE_NONET | XML_PARSE_BIG_LINES);
  self->parser->_private = self;
  return self;
}

void cxml_stream_add(cxml_stream *self, const void *bytes, int size, bool is_last) {
  xml.xmlParseChunk(self->parser, bytes, size, is_last);
}

void cxml_stream_close(cxml_stream *self) {
  xml.xmlFreeParserCtxt(self->parser);
  free(self);
}
