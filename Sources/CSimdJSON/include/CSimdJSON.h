// The part of simdjson that Throng uses, as C: parse a document, walk it as a flat array of nodes.
#ifndef C_SIMDJSON_H
#define C_SIMDJSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    THRONG_JSON_NULL = 0,
    THRONG_JSON_FALSE = 1,
    THRONG_JSON_TRUE = 2,
    THRONG_JSON_INTEGER = 3,
    THRONG_JSON_NUMBER = 4,
    THRONG_JSON_STRING = 5,
    THRONG_JSON_ARRAY = 6,
    THRONG_JSON_OBJECT = 7,
    // An object in the list `events` of the outermost object whose members are the strings `event` and `at` and, perhaps, an object
    // `fields`. Its text is that of `event`; the next node is the string of `at`, and what is left is `fields`. Such an object may
    // as well come as a THRONG_JSON_OBJECT.
    THRONG_JSON_EVENT = 8,
} throng_json_kind;

// One value, in document order. A member of an object is its key (a string) followed by its value.
typedef struct {
    uint32_t kind;    // throng_json_kind
    uint32_t length;  // bytes of a string or an event's name; elements of an array; members of an object
    uint32_t next;    // index of the node after this one and everything in it
    uint32_t flaw;    // throng_json_flaw
    union {
        int64_t integer;
        double number;
        const uint8_t *bytes;  // a string's UTF-8, not terminated, in the document or the parser; valid until the next parse
    } value;
} throng_json_node;

// Why a value can't be taken that JSON's grammar allows. Everything around it can be: only what holds it has to be refused.
typedef enum {
    THRONG_JSON_SOUND = 0,
    THRONG_JSON_TOO_DEEP = 1,       // an array or an object that lies too deep; what is in it is left out
    THRONG_JSON_DUPLICATE_KEY = 2,  // the first key of its object that equals an earlier one
    THRONG_JSON_NUL = 3,            // a string or a key that holds U+0000
    THRONG_JSON_TOO_LONG = 4,       // a string or a key that has too many bytes
    THRONG_JSON_NUMBER_RANGE = 5,   // a number that fits neither 64 bits nor a finite double; its kind is a string
    THRONG_JSON_SURROGATE = 6,      // a string or a key that holds half of a surrogate pair, or U+0000 beside one elsewhere
} throng_json_flaw;

typedef enum {
    THRONG_JSON_OK = 0,
    THRONG_JSON_MALFORMED = 1,
    THRONG_JSON_NOT_UTF8 = 2,
    THRONG_JSON_NO_MEMORY = 3,
} throng_json_status;

typedef struct {
    throng_json_status status;
    uint32_t count;
    uint32_t flaws;  // nodes that have one
    const throng_json_node *nodes;
} throng_json_result;

typedef struct throng_json_parser throng_json_parser;

// A parser keeps its buffers from one document to the next. One thread at a time.
throng_json_parser *throng_json_parser_new(size_t max_depth, size_t max_string);
void throng_json_parser_free(throng_json_parser *parser);
throng_json_result throng_json_parse(throng_json_parser *parser, const uint8_t *bytes, size_t length);

// The instruction set that simdjson chose on this machine, such as "haswell".
const char *throng_json_implementation(void);

#ifdef __cplusplus
}
#endif
#endif
