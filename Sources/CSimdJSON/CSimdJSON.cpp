#include "CSimdJSON.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <simdjson.h>
#include <string>
#include <string_view>
#include <vector>

namespace dom = simdjson::dom;

struct throng_json_parser {
    dom::parser parser;
    size_t max_depth;
    std::vector<throng_json_node> nodes;
    std::vector<std::string_view> keys;

    explicit throng_json_parser(size_t depth) : parser(), max_depth(depth) {}

    throng_json_status walk(dom::element element, size_t depth);
    throng_json_status add_string(std::string_view text);
    bool repeats(dom::object object);
};

// One of 64 bits, the same for equal keys.
static uint64_t key_bit(std::string_view key) {
    if (key.empty()) return 1;
    const auto first = static_cast<uint8_t>(key.front()), last = static_cast<uint8_t>(key.back());
    return uint64_t{1} << ((key.size() * 7 + first * 3 + last) & 63);
}

throng_json_status throng_json_parser::add_string(std::string_view text) {
    throng_json_node node{};
    node.kind = THRONG_JSON_STRING;
    node.length = static_cast<uint32_t>(text.size());
    node.value.bytes = reinterpret_cast<const uint8_t *>(text.data());
    node.next = static_cast<uint32_t>(nodes.size()) + 1;
    nodes.push_back(node);
    return std::memchr(text.data(), 0, text.size()) == nullptr ? THRONG_JSON_OK : THRONG_JSON_NUL;
}

throng_json_status throng_json_parser::walk(dom::element element, size_t depth) {
    const size_t place = nodes.size();
    switch (element.type()) {
    case dom::element_type::STRING:
        return add_string(element.get_string().value_unsafe());
    case dom::element_type::ARRAY: {
        if (depth >= max_depth) return THRONG_JSON_TOO_DEEP;
        nodes.push_back({THRONG_JSON_ARRAY, 0, 0, 0, {0}});
        uint32_t length = 0;
        for (dom::element child : element.get_array().value_unsafe()) {
            if (auto status = walk(child, depth + 1)) return status;
            ++length;
        }
        nodes[place].length = length;
        break;
    }
    case dom::element_type::OBJECT: {
        if (depth >= max_depth) return THRONG_JSON_TOO_DEEP;
        nodes.push_back({THRONG_JSON_OBJECT, 0, 0, 0, {0}});
        dom::object object = element.get_object().value_unsafe();
        // Keys of one length with the same ends share a bit: only those are compared. An object with many keys is sorted
        // instead, or it would cost the square of their number.
        uint64_t seen = object.size() > 16 && repeats(object) ? ~uint64_t{0} : 0;
        const bool is_small = object.size() <= 16;
        uint32_t length = 0;
        for (dom::key_value_pair member : object) {
            const size_t key = nodes.size();
            if (auto status = add_string(member.key)) return status;
            const uint64_t bit = key_bit(member.key);
            if (seen & bit) {
                // Say which one: the first key that equals an earlier key of this object.
                for (size_t earlier = place + 1; earlier < key; earlier = nodes[earlier + 1].next) {
                    if (nodes[earlier].length == nodes[key].length &&
                        std::memcmp(nodes[earlier].value.bytes, nodes[key].value.bytes, nodes[key].length) == 0)
                        return THRONG_JSON_DUPLICATE_KEY;
                }
            }
            if (is_small) seen |= bit;
            if (auto status = walk(member.value, depth + 1)) return status;
            ++length;
        }
        nodes[place].length = length;
        break;
    }
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
    return THRONG_JSON_OK;
}

bool throng_json_parser::repeats(dom::object object) {
    keys.clear();
    for (dom::key_value_pair member : object) keys.push_back(member.key);
    std::sort(keys.begin(), keys.end());
    return std::adjacent_find(keys.begin(), keys.end()) != keys.end();
}

throng_json_parser *throng_json_parser_new(size_t max_depth) {
    return new (std::nothrow) throng_json_parser(max_depth);
}

void throng_json_parser_free(throng_json_parser *parser) { delete parser; }

throng_json_result throng_json_parse(throng_json_parser *parser, const uint8_t *bytes, size_t length) {
    throng_json_result result{};
    parser->nodes.clear();
    try {
        dom::element root;
        switch (parser->parser.parse(bytes, length).get(root)) {
        case simdjson::SUCCESS:
            result.status = parser->walk(root, 0);
            break;
        case simdjson::DEPTH_ERROR:
            result.status = THRONG_JSON_TOO_DEEP;
            break;
        case simdjson::UTF8_ERROR:
            result.status = THRONG_JSON_NOT_UTF8;
            break;
        case simdjson::NUMBER_ERROR:
            result.status = THRONG_JSON_NUMBER_RANGE;
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
    result.node = result.count == 0 ? 0 : result.count - 1;
    return result;
}

const char *throng_json_implementation(void) {
    static const std::string name = simdjson::get_active_implementation()->name();
    return name.c_str();
}
