// A JSON text without what the grammar allows and simdjson does not take: half of a surrogate pair becomes U+0000, and a number
// that fits neither 64 bits nor a finite double the string `number`. What is no JSON stays none.
#ifndef MENDED_TEXT_H
#define MENDED_TEXT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

class MendedText {
public:
    static constexpr std::string_view number{"\0number", 7};

    std::string text;
    bool is_changed = false;
    size_t depth = 0;  // levels of brackets

    MendedText(const uint8_t *bytes, size_t length);

private:
    const uint8_t *bytes;
    size_t length;
    size_t place = 0;
    size_t copied = 0;

    void pass_string();
    void pass_number();
    void replace(size_t start, const char *by);
    int escaped_unit(size_t start) const;
};

#endif
