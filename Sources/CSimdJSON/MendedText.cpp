#include "MendedText.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>

MendedText::MendedText(const uint8_t *bytes, size_t length) : bytes(bytes), length(length) {
    size_t open = 0;
    while (place < length) {
        const uint8_t byte = bytes[place];
        if (byte == '"') {
            pass_string();
        } else if (byte == '-' || (byte >= '0' && byte <= '9')) {
            pass_number();
        } else {
            if (byte == '[' || byte == '{') depth = std::max(depth, ++open);
            if ((byte == ']' || byte == '}') && open > 0) --open;
            ++place;
        }
    }
    text.append(reinterpret_cast<const char *>(bytes) + copied, length - copied);
}

// Puts something else in place of what lies between a place and this one.
void MendedText::replace(size_t start, const char *by) {
    text.append(reinterpret_cast<const char *>(bytes) + copied, start - copied);
    text += by;
    copied = place;
    is_changed = true;
}

// The UTF-16 unit of an escape such as \ud83c; -1 where none begins here.
int MendedText::escaped_unit(size_t start) const {
    if (start + 6 > length || bytes[start] != '\\' || bytes[start + 1] != 'u') return -1;
    int unit = 0;
    for (size_t digit = start + 2; digit < start + 6; ++digit) {
        const uint8_t byte = bytes[digit];
        if (byte >= '0' && byte <= '9') unit = unit * 16 + byte - '0';
        else if ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'f') unit = unit * 16 + (byte | 0x20) - 'a' + 10;
        else return -1;
    }
    return unit;
}

void MendedText::pass_string() {
    ++place;
    while (place < length && bytes[place] != '"') {
        if (bytes[place] != '\\') {
            ++place;
            continue;
        }
        const size_t start = place;
        const int unit = escaped_unit(start);
        place += unit < 0 ? 2 : 6;
        if (unit < 0xd800 || unit > 0xdfff) continue;
        const int next = escaped_unit(place);
        if (unit < 0xdc00 && next >= 0xdc00 && next <= 0xdfff) place += 6;
        else replace(start, "\\u0000");
    }
    place = std::min(place + 1, length);
}

// Whether a text is a number by RFC 8259, section 6.
static bool is_number(const char *text) {
    const auto digits = [&text] {
        const char *start = text;
        while (*text >= '0' && *text <= '9') ++text;
        return text > start;
    };
    if (*text == '-') ++text;
    const bool starts_with_zero = *text == '0';
    const char *first = text;
    if (!digits() || (starts_with_zero && text > first + 1)) return false;
    if (*text == '.' && (++text, !digits())) return false;
    if (*text == 'e' || *text == 'E') {
        ++text;
        if (*text == '+' || *text == '-') ++text;
        if (!digits()) return false;
    }
    return *text == 0;
}

// Whether simdjson has no room for a number: whole ones have 64 bits, others are doubles.
static bool is_out_of_range(const std::string &number) {
    if (number.find_first_of(".eE") != std::string::npos) return std::isinf(std::strtod(number.c_str(), nullptr));
    errno = 0;
    if (number[0] == '-') std::strtoll(number.c_str(), nullptr, 10);
    else std::strtoull(number.c_str(), nullptr, 10);
    return errno == ERANGE;
}

void MendedText::pass_number() {
    const size_t start = place;
    const auto continues = [](uint8_t byte) { return std::isalnum(byte) || byte == '+' || byte == '-' || byte == '.'; };
    while (place < length && continues(bytes[place])) ++place;
    const std::string number(reinterpret_cast<const char *>(bytes) + start, place - start);
    if (is_number(number.c_str()) && is_out_of_range(number)) replace(start, "\"\\u0000number\"");
}
