// Without what libxml2 declares for ICU: its types would be others than those of Foundation's own ICU, and no file could
// import both. Nothing here is used of it.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED

#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xpath.h>
