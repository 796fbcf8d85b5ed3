// The quick way to read: nodes straight from the places of tokens that simdjson finds, without its document between them, and texts
// where they lie. It takes what nearly all bodies are: an object or a list without escapes, whose numbers are whole or short
// decimals, and in which nothing is wrong. Of anything else it says nothing but that it is not plain.
#ifndef PLAIN_DOCUMENT_H
#define PLAIN_DOCUMENT_H

#include "CSimdJSON.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <simdjson.h>
#include <string_view>

class PlainDocument {
public:
    static constexpr size_t most_compared = 16;  // members whose keys are compared with one another

    uint32_t count = 0;  // of nodes
    std::unique_ptr<throng_json_node[]> nodes;

    PlainDocument(size_t max_depth, size_t max_string) : max_depth(max_depth), max_string(max_string) {}

    // Whether a document is plain; only then are there nodes. Their texts are parts of `text`.
    bool read(simdjson::dom::parser &parser, const uint8_t *text, size_t length) {
        if (length == 0 || std::memchr(text, '\\', length)) return false;
        if (parser.capacity() < length && parser.allocate(length, parser.max_depth())) return false;
        // This finds tokens outside of texts, and refuses what is not UTF-8, control characters in texts, and a text without an end.
        auto &found = *parser.implementation;
        if (found.stage1(text, length, simdjson::stage1_mode::regular)) return false;
        if (capacity < found.n_structural_indexes) {
            capacity = 0;
            nodes.reset(new throng_json_node[found.n_structural_indexes]);
            capacity = found.n_structural_indexes;
        }
        bytes = text;
        token = found.structural_indexes.get();
        end = token + found.n_structural_indexes;
        count = 0;
        return (peek() == '{' || peek() == '[') && read_value(0) && token == end;
    }

    // One of 64 bits, the same for equal keys.
    static uint64_t key_bit(std::string_view key) {
        if (key.empty()) return 1;
        const auto first = static_cast<uint8_t>(key.front()), last = static_cast<uint8_t>(key.back());
        return uint64_t{1} << ((key.size() * 7 + first * 3 + last) & 63);
    }

    // Whether an object has an earlier member of that key, by their nodes.
    [[gnu::noinline]] static bool is_repeat(const throng_json_node *nodes, size_t key, size_t object) {
        for (size_t earlier = object + 1; earlier < key; earlier = nodes[earlier + 1].next) {
            if (nodes[earlier].length == nodes[key].length &&
                std::memcmp(nodes[earlier].value.bytes, nodes[key].value.bytes, nodes[key].length) == 0)
                return true;
        }
        return false;
    }

private:
    const size_t max_depth;
    const size_t max_string;
    size_t capacity = 0;  // of nodes: one a token
    const uint8_t *bytes = nullptr;
    const uint32_t *token = nullptr;  // the place of the next one
    const uint32_t *end = nullptr;    // here stands the document's length

    uint8_t peek() const { return token < end ? bytes[*token] : 0; }
    uint8_t next() { return token < end ? bytes[*token++] : 0; }

    [[gnu::always_inline]] bool add(uint32_t kind, uint32_t length = 0, decltype(throng_json_node::value) value = {0}) {
        const uint32_t place = count;
        nodes[place] = {kind, length, place + 1, THRONG_JSON_SOUND, value};
        count = place + 1;
        return true;
    }

    bool read_value(size_t depth) {
        switch (peek()) {
        case '"': return read_text();
        case '{': return depth < max_depth && read_object(depth);
        case '[': return depth < max_depth && read_array<false>(depth);
        default: return token < end && read_word();
        }
    }

    // The byte before the next token, but for white space, is the quotation mark that ends the text.
    [[gnu::always_inline]] const uint8_t *text(const uint32_t *place, uint32_t &length) const {
        const uint8_t *first = bytes + place[0] + 1, *last = bytes + place[1] - 1;
        while (*last != '"') --last;
        length = static_cast<uint32_t>(last - first);
        return first;
    }

    [[gnu::always_inline]] bool read_text() {
        uint32_t length;
        decltype(throng_json_node::value) value;
        value.bytes = text(token++, length);
        return add(THRONG_JSON_STRING, length, value) && length <= max_string;
    }

    template <bool of_events> bool read_array(size_t depth) {
        const uint32_t place = count;
        add(THRONG_JSON_ARRAY);
        ++token;
        if (peek() == ']') return ++token, true;
        uint32_t length = 0;
        uint8_t separator;
        do {
            if (!(of_events && read_event(depth + 1)) && !read_value(depth + 1)) return false;
            ++length;
            separator = next();
        } while (separator == ',');
        nodes[place].length = length;
        nodes[place].next = count;
        return separator == ']';
    }

    // Whether a token is this key, with its colon right behind it.
    template <size_t size> [[gnu::always_inline]] bool is_key(const uint32_t *place, const char (&key)[size]) const {
        return place[1] - place[0] == size - 1 && std::memcmp(bytes + place[0], key, size - 1) == 0 && bytes[place[1]] == ':';
    }

    // An event as most are, with its name and its time in any order, and perhaps fields; of another one there is no trace.
    [[gnu::always_inline]] bool read_event(size_t depth) {
        const uint32_t place = count, *const first = token;
        if (peek() != '{' || depth >= max_depth) return false;
        throng_json_node *const name = &nodes[place], *const time = name + 1;
        name->value.bytes = time->value.bytes = nullptr;
        count = place + 2;
        const bool is_usual = read_usual(name, time);
        const bool is_event = is_usual && bytes[*token] == '}' ? (++token, true) : read_members(depth, is_usual, name, time);
        if (!is_event || name->length > max_string || time->length > max_string) {
            count = place;
            token = first;
            return false;
        }
        name->kind = THRONG_JSON_EVENT;
        time->kind = THRONG_JSON_STRING;
        name->next = count;
        time->next = place + 2;
        name->flaw = time->flaw = THRONG_JSON_SOUND;
        return true;
    }

    // The name and then the time, as programs write them: without white space, so that two looks tell all eight tokens.
    [[gnu::always_inline]] bool read_usual(throng_json_node *name, throng_json_node *time) {
        static constexpr char before_name[] = "{\"event\":\"", before_time[] = ",\"at\":\"";
        const uint32_t *const start = token;
        if (end - start < 9 || start[8] - start[0] < 18 || std::memcmp(bytes + start[0], before_name, 10) != 0) return false;
        if (start[8] - start[4] < 8 || std::memcmp(bytes + start[4], before_time, 7) != 0) return false;
        name->value.bytes = text(start + 3, name->length);
        time->value.bytes = text(start + 7, time->length);
        token = start + 8;
        return true;
    }

    // What is left of an event's members, or all of them.
    bool read_members(size_t depth, bool is_usual, throng_json_node *name, throng_json_node *time) {
        bool has_fields = false;
        for (bool begins = !is_usual; begins || peek() == ','; begins = false) {
            ++token;
            // A key, a colon, a value and what follows it are four tokens or more.
            if (end - token < 4) return false;
            const bool is_name = is_key("\"event\"");
            const uint8_t first = bytes[token[2]];
            if (is_name || is_key("\"at\"")) {
                throng_json_node *const node = is_name ? name : time;
                if (node->value.bytes || first != '"') return false;
                node->value.bytes = text(token + 2, node->length);
                token += 3;
            } else {
                if (has_fields || !is_key("\"fields\"") || first != '{' || depth + 1 >= max_depth) return false;
                token += 2;
                has_fields = true;
                if (!read_object(depth + 1)) return false;
            }
        }
        return name->value.bytes && time->value.bytes && next() == '}';
    }

    // Whether the next token is this key, with its colon right behind it.
    template <size_t size> [[gnu::always_inline]] bool is_key(const char (&key)[size]) const {
        return token[1] - token[0] == size - 1 && std::memcmp(bytes + token[0], key, size - 1) == 0 && bytes[token[1]] == ':';
    }

    bool read_object(size_t depth) {
        const uint32_t place = count;
        add(THRONG_JSON_OBJECT);
        ++token;
        if (peek() == '}') return ++token, true;
        uint64_t seen = 0;
        uint32_t length = 0;
        uint8_t separator;
        do {
            // A key, a colon, a value and what follows it are four tokens or more.
            if (end - token < 4 || bytes[token[0]] != '"' || bytes[token[1]] != ':' || ++length > most_compared) return false;
            const uint32_t key = count;
            if (!read_text()) return false;
            const uint64_t bit = key_bit({reinterpret_cast<const char *>(nodes[key].value.bytes), nodes[key].length});
            if (seen & bit && is_repeat(nodes.get(), key, place)) return false;
            seen |= bit;
            ++token;
            const bool has_events = depth == 0 && bytes[*token] == '[' && depth + 1 < max_depth &&
                                    nodes[key].length == 6 && std::memcmp(nodes[key].value.bytes, "events", 6) == 0;
            if (!(bytes[*token] == '"' ? read_text() : has_events ? read_array<true>(1) : read_value(depth + 1))) return false;
            separator = next();
        } while (separator == ',');
        nodes[place].length = length;
        nodes[place].next = count;
        return separator == '}';
    }

    // A number, true, false or null: all up to the next token, but for white space.
    bool read_word() {
        std::string_view text(reinterpret_cast<const char *>(bytes) + token[0], token[1] - token[0]);
        text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
        ++token;
        if (text == "true") return add(THRONG_JSON_TRUE);
        if (text == "false") return add(THRONG_JSON_FALSE);
        if (text == "null") return add(THRONG_JSON_NULL);
        return read_number(text);
    }

    // Digits that a double holds exactly, and so does the power of ten that they are divided by: the quotient is the nearest double.
    bool read_number(std::string_view text) {
        const bool is_negative = text.front() == '-';
        if (is_negative) text.remove_prefix(1);
        const size_t whole = std::min(text.find('.'), text.size()), places = text.size() - whole;
        if (whole == 0 || places == 1 || text.size() > 16 || (whole > 1 && text.front() == '0')) return false;
        int64_t digits = 0, power = 1;
        for (size_t place = 0; place < text.size(); ++place) {
            if (place == whole) continue;
            if (text[place] < '0' || text[place] > '9') return false;
            digits = digits * 10 + (text[place] - '0');
            if (place > whole) power *= 10;
        }
        decltype(throng_json_node::value) value;
        if (places == 0) value.integer = is_negative ? -digits : digits;
        else value.number = static_cast<double>(digits) / static_cast<double>(power) * (is_negative ? -1 : 1);
        return add(places == 0 ? THRONG_JSON_INTEGER : THRONG_JSON_NUMBER, 0, value);
    }
};

#endif
