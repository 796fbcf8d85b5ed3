#include "CSimdJSON.h"

#include "MendedText.h"
#include "PlainDocument.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <simdjson.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dom = simdjson::dom;

struct throng_json_parser {
    dom::parser parser;
    PlainDocument plain;
    std::unique_ptr<dom::parser> deep;  // of the last document, where that was nested deeper than `parser` reads
    size_t max_depth;
    size_t max_string;
    std::vector<throng_json_node> nodes;
    uint32_t flaws = 0;
    bool is_mended = false;

    throng_json_parser(size_t depth, size_t string) : plain(depth, string), max_depth(depth), max_string(string) {}

    simdjson::error_code read(const uint8_t *bytes, size_t length, dom::element &root);
    void walk(dom::element element, size_t depth);
    void walk_members(dom::object object, size_t place, size_t depth);
    void add_string(std::string_view text);
    void mark(size_t node, throng_json_flaw flaw);
};

// The first member whose key equals an earlier one's; the number of members where there is none.
static size_t first_repeat(dom::object object) {
    std::vector<std::pair<std::string_view, size_t>> keys;
    for (dom::key_value_pair member : object) keys.emplace_back(member.key, keys.size());
    std::sort(keys.begin(), keys.end());
    size_t first = keys.size();
    for (size_t place = 1; place < keys.size(); ++place)
        if (keys[place - 1].first == keys[place].first) first = std::min(first, keys[place].second);
    return first;
}

void throng_json_parser::mark(size_t node, throng_json_flaw flaw) {
    if (nodes[node].flaw == THRONG_JSON_SOUND) ++flaws;
    nodes[node].flaw = flaw;
}

// Each key and each text comes through here.
[[gnu::always_inline]] inline void throng_json_parser::add_string(std::string_view text) {
    throng_json_node node{};
    node.kind = THRONG_JSON_STRING;
    node.length = static_cast<uint32_t>(text.size());
    node.value.bytes = reinterpret_cast<const uint8_t *>(text.data());
    node.next = static_cast<uint32_t>(nodes.size()) + 1;
    const bool holds_nul = std::memchr(text.data(), 0, text.size()) != nullptr;
    if (holds_nul || text.size() > max_string) {
        ++flaws;
        node.flaw = !holds_nul                      ? THRONG_JSON_TOO_LONG
                    : !is_mended                    ? THRONG_JSON_NUL
                    : text == MendedText::number ? THRONG_JSON_NUMBER_RANGE
                                                    : THRONG_JSON_SURROGATE;
    }
    nodes.push_back(node);
}

void throng_json_parser::walk_members(dom::object object, size_t place, size_t depth) {
    // Keys of one length with the same ends share a bit: only those are compared. An object with many keys is sorted
    // instead, or it would cost the square of their number.
    const bool is_small = object.size() <= PlainDocument::most_compared;
    const size_t repeat = is_small ? 0 : first_repeat(object);
    uint64_t seen = 0;
    uint32_t length = 0;
    for (dom::key_value_pair member : object) {
        const size_t key = nodes.size();
        add_string(member.key);
        if (is_small) {
            const uint64_t bit = PlainDocument::key_bit(member.key);
            if (seen & bit && PlainDocument::is_repeat(nodes.data(), key, place)) mark(key, THRONG_JSON_DUPLICATE_KEY);
            seen |= bit;
        } else if (length == repeat) {
            mark(key, THRONG_JSON_DUPLICATE_KEY);
        }
        walk(member.value, depth + 1);
        ++length;
    }
    nodes[place].length = length;
}

void throng_json_parser::walk(dom::element element, size_t depth) {
    const size_t place = nodes.size();
    switch (element.type()) {
    case dom::element_type::STRING:
        return add_string(element.get_string().value_unsafe());
    case dom::element_type::ARRAY: {
        nodes.push_back({THRONG_JSON_ARRAY, 0, 0, 0, {0}});
        if (depth >= max_depth) {
            mark(place, THRONG_JSON_TOO_DEEP);
            break;
        }
        uint32_t length = 0;
        const dom::array list = element.get_array().value_unsafe();
        for (dom::element child : list) {
            walk(child, depth + 1);
            ++length;
        }
        nodes[place].length = length;
        break;
    }
    case dom::element_type::OBJECT:
        nodes.push_back({THRONG_JSON_OBJECT, 0, 0, 0, {0}});
        if (depth >= max_depth) {
            mark(place, THRONG_JSON_TOO_DEEP);
            break;
        }
        walk_members(element.get_object().value_unsafe(), place, depth);
        break;
    case dom::element_type::INT64:
        nodes.push_back({THRONG_JSON_INTEGER, 0, 0, 0, {element.get_int64().value_unsafe()}});
        break;
    case dom::element_type::UINT64: {
        // Only what does not fit 63 bits arrives here.
        throng_json_node node{THRONG_JSON_NUMBER, 0, 0, 0, {0}};
        node.value.number = static_cast<double>(element.get_uint64().value_unsafe());
        nodes.push_back(node);
        break;
    }
    case dom::element_type::DOUBLE: {
        throng_json_node node{THRONG_JSON_NUMBER, 0, 0, 0, {0}};
        node.value.number = element.get_double().value_unsafe();
        nodes.push_back(node);
        break;
    }
    case dom::element_type::BOOL: {
        const uint32_t kind = element.get_bool().value_unsafe() ? THRONG_JSON_TRUE : THRONG_JSON_FALSE;
        nodes.push_back({kind, 0, 0, 0, {0}});
        break;
    }
    case dom::element_type::NULL_VALUE:
        nodes.push_back({THRONG_JSON_NULL, 0, 0, 0, {0}});
        break;
    }
    nodes[place].next = static_cast<uint32_t>(nodes.size());
}

// Reads a document; one that simdjson does not take once more, as it is mended.
simdjson::error_code throng_json_parser::read(const uint8_t *bytes, size_t length, dom::element &root) {
    is_mended = false;
    const auto error = parser.parse(bytes, length).get(root);
    if (error != simdjson::STRING_ERROR && error != simdjson::NUMBER_ERROR && error != simdjson::DEPTH_ERROR)
        return error;
    MendedText mended(bytes, length);
    is_mended = mended.is_changed;
    if (mended.depth < parser.max_depth()) return parser.parse(mended.text).get(root);
    deep = std::make_unique<dom::parser>();
    if (const auto failure = deep->allocate(mended.text.size(), mended.depth + 1)) return failure;
    return deep->parse(mended.text).get(root);
}

throng_json_parser *throng_json_parser_new(size_t max_depth, size_t max_string) {
    return new (std::nothrow) throng_json_parser(max_depth, max_string);
}

void throng_json_parser_free(throng_json_parser *parser) { delete parser; }

throng_json_result throng_json_parse(throng_json_parser *parser, const uint8_t *bytes, size_t length) {
    throng_json_result result{};
    // A byte order mark is no part of the document (RFC 8259, section 8.1).
    if (length > 3 && std::memcmp(bytes, "\xef\xbb\xbf", 3) == 0) bytes += 3, length -= 3;
    parser->nodes.clear();
    parser->deep.reset();
    parser->flaws = 0;
    try {
        if (parser->plain.read(parser->parser, bytes, length)) {
            result.nodes = parser->plain.nodes.get();
            result.count = parser->plain.count;
            return result;
        }
        dom::element root;
        switch (parser->read(bytes, length, root)) {
        case simdjson::SUCCESS:
            parser->walk(root, 0);
            break;
        case simdjson::UTF8_ERROR:
            result.status = THRONG_JSON_NOT_UTF8;
            break;
        case simdjson::CAPACITY:
        case simdjson::MEMALLOC:
            result.status = THRONG_JSON_NO_MEMORY;
            break;
        default:
            result.status = THRONG_JSON_MALFORMED;
        }
    } catch (const std::bad_alloc &) {
        result.status = THRONG_JSON_NO_MEMORY;
    }
    result.nodes = parser->nodes.data();
    result.count = static_cast<uint32_t>(parser->nodes.size());
    result.flaws = parser->flaws;
    return result;
}

const char *throng_json_implementation(void) {
    static const std::string name = simdjson::get_active_implementation()->name();
    return name.c_str();
}
