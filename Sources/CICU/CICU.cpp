#include "CICU.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <unicode/dtptngen.h>
#include <unicode/listformatter.h>
#include <unicode/messagepattern.h>
#include <unicode/msgfmt.h>
#include <unicode/numberformatter.h>
#include <unicode/plurrule.h>
#include <unicode/smpdtfmt.h>
#include <unicode/strenum.h>
#include <vector>

using icu::UnicodeString;

struct throng_icu_language {
    icu::Locale locale;
    icu::DecimalFormatSymbols symbols;  // with a true minus
    icu::number::LocalizedNumberFormatter numbers;
    std::unique_ptr<icu::PluralRules> rules;
    std::unique_ptr<icu::ListFormatter> lists, choices;
    std::unique_ptr<icu::DateTimePatternGenerator> patterns;
    // Formats of ICU are used by one thread at a time.
    std::mutex mutex;
    std::map<std::string, std::unique_ptr<icu::MessageFormat>> messages;
    std::map<std::string, std::unique_ptr<icu::SimpleDateFormat>> dates;

    throng_icu_language(const char *name, UErrorCode &status) : locale(name), symbols(locale, status) {
        symbols.setSymbol(icu::DecimalFormatSymbols::kMinusSignSymbol, UnicodeString(UChar32(0x2212)));
        numbers = icu::number::NumberFormatter::withLocale(locale).symbols(symbols);
        rules.reset(icu::PluralRules::forLocale(locale, status));
        lists.reset(icu::ListFormatter::createInstance(locale, status));
        choices.reset(icu::ListFormatter::createInstance(locale, ULISTFMT_TYPE_OR, ULISTFMT_WIDTH_WIDE, status));
        patterns.reset(icu::DateTimePatternGenerator::createInstance(locale, status));
    }
};

static throng_icu_text text(const UnicodeString &from, UErrorCode status) {
    if (U_FAILURE(status)) return nullptr;
    UnicodeString plain;
    for (int32_t place = 0; place < from.length(); ++place) {
        const UChar unit = from[place];
        if (unit != 0x061c && unit != 0x200e && unit != 0x200f) plain.append(unit);
    }
    std::string bytes;
    plain.toUTF8String(bytes);
    char *copy = static_cast<char *>(std::malloc(bytes.size() + 1));
    if (copy) std::memcpy(copy, bytes.c_str(), bytes.size() + 1);
    return copy;
}

throng_icu_language *throng_icu_language_new(const char *locale) {
    UErrorCode status = U_ZERO_ERROR;
    std::unique_ptr<throng_icu_language> language(new (std::nothrow) throng_icu_language(locale, status));
    return language && U_SUCCESS(status) ? language.release() : nullptr;
}

throng_icu_text throng_icu_say(
    throng_icu_language *language, const char *pattern, const throng_icu_argument *arguments, size_t count) {
    UErrorCode status = U_ZERO_ERROR;
    std::vector<UnicodeString> names;
    std::vector<icu::Formattable> values;
    for (size_t place = 0; place < count; ++place) {
        const throng_icu_argument &argument = arguments[place];
        names.push_back(UnicodeString::fromUTF8(argument.name));
        values.push_back(
            argument.text ? icu::Formattable(UnicodeString::fromUTF8(argument.text)) : icu::Formattable(argument.number));
    }
    std::lock_guard<std::mutex> lock(language->mutex);
    auto &format = language->messages[pattern];
    if (!format) {
        format = std::make_unique<icu::MessageFormat>(UnicodeString::fromUTF8(pattern), language->locale, status);
        if (U_FAILURE(status)) {
            format.reset();
            return nullptr;
        }
    }
    UnicodeString said;
    format->format(names.data(), values.data(), static_cast<int32_t>(count), said, status);
    return text(said, status);
}

throng_icu_text throng_icu_number(throng_icu_language *language, const char *decimal, int32_t places, bool is_percent) {
    UErrorCode status = U_ZERO_ERROR;
    auto numbers = language->numbers.precision(icu::number::Precision::fixedFraction(places));
    if (is_percent) numbers = numbers.unit(icu::NoUnit::percent());
    return text(numbers.formatDecimal(decimal, status).toString(status), status);
}

throng_icu_text throng_icu_date(throng_icu_language *language, const char *skeleton, int64_t day) {
    UErrorCode status = U_ZERO_ERROR;
    std::lock_guard<std::mutex> lock(language->mutex);
    auto &format = language->dates[skeleton];
    if (!format) {
        const UnicodeString pattern = language->patterns->getBestPattern(UnicodeString::fromUTF8(skeleton), status);
        format = std::make_unique<icu::SimpleDateFormat>(pattern, language->locale, status);
        if (U_FAILURE(status)) {
            format.reset();
            return nullptr;
        }
        format->setTimeZone(*icu::TimeZone::getGMT());
    }
    UnicodeString said;
    return text(format->format(static_cast<UDate>(day) * 86400000, said), status);
}

throng_icu_text throng_icu_list(throng_icu_language *language, const char *const *items, size_t count, bool is_choice) {
    UErrorCode status = U_ZERO_ERROR;
    std::vector<UnicodeString> texts;
    for (size_t place = 0; place < count; ++place) texts.push_back(UnicodeString::fromUTF8(items[place]));
    UnicodeString said;
    (is_choice ? language->choices : language->lists)->format(texts.data(), static_cast<int32_t>(count), said, status);
    return text(said, status);
}

throng_icu_text throng_icu_name(const throng_icu_language *language, const char *code) {
    UnicodeString name;
    const icu::Locale named(code);
    if (*named.getCountry()) return text(named.getDisplayCountry(language->locale, name), U_ZERO_ERROR);
    return text(named.getDisplayLanguage(language->locale, name), U_ZERO_ERROR);
}

bool throng_icu_is_right_to_left(const throng_icu_language *language) { return language->locale.isRightToLeft(); }

throng_icu_text throng_icu_likely(const char *tag) {
    UErrorCode status = U_ZERO_ERROR;
    icu::Locale locale = icu::Locale::forLanguageTag(tag, status);
    locale.addLikelySubtags(status);
    return text(UnicodeString::fromUTF8(locale.toLanguageTag<std::string>(status)), status);
}

throng_icu_text throng_icu_plurals(throng_icu_language *language) {
    UErrorCode status = U_ZERO_ERROR;
    std::unique_ptr<icu::StringEnumeration> keywords(language->rules->getKeywords(status));
    if (U_FAILURE(status)) return nullptr;
    std::set<std::string> found;
    while (const char *keyword = keywords->next(nullptr, status)) {
        // Some categories are only for fractions, or for millions: whole numbers up to a thousand tell.
        for (int32_t number = 0; number <= 1000; ++number) {
            std::string category;
            language->rules->select(number).toUTF8String(category);
            if (category == keyword) found.insert(category);
        }
    }
    std::string all;
    for (const std::string &keyword : found) all += (all.empty() ? "" : " ") + keyword;
    return text(UnicodeString::fromUTF8(all), status);
}

throng_icu_text throng_icu_arguments(const char *pattern) {
    UErrorCode status = U_ZERO_ERROR;
    const icu::MessagePattern parsed(UnicodeString::fromUTF8(pattern), nullptr, status);
    if (U_FAILURE(status)) return nullptr;
    std::map<std::string, std::set<std::string>> arguments;
    std::vector<std::string> open;
    for (int32_t place = 0; place < parsed.countParts(); ++place) {
        const auto &part = parsed.getPart(place);
        std::string word;
        parsed.getSubstring(part).toUTF8String(word);
        switch (part.getType()) {
        case UMSGPAT_PART_TYPE_ARG_START:
            parsed.getSubstring(parsed.getPart(place + 1)).toUTF8String(word = "");
            open.push_back(word);
            arguments[word];
            break;
        case UMSGPAT_PART_TYPE_ARG_LIMIT: open.pop_back(); break;
        case UMSGPAT_PART_TYPE_ARG_SELECTOR: arguments[open.back()].insert(word); break;
        default: break;
        }
    }
    std::string all;
    for (const auto &[name, words] : arguments) {
        std::string inner;
        for (const std::string &word : words) inner += (inner.empty() ? "" : ",") + word;
        all += (all.empty() ? "" : " ") + name + (inner.empty() ? "" : "(" + inner + ")");
    }
    return text(UnicodeString::fromUTF8(all), status);
}
