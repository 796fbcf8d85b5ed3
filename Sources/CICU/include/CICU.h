// The part of ICU that Throng uses, as C: messages, numbers, dates and lists as readers of a language write them.
#ifndef C_ICU_H
#define C_ICU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// One language's formatters, made when they are first asked for and kept. Any thread may call at any time.
typedef struct throng_icu_language throng_icu_language;

// A named argument of a message: a number, by which a plural is chosen, or else a text.
typedef struct {
    const char *name;
    const char *text;  // UTF-8; NULL where it is a number
    int64_t number;
} throng_icu_argument;

// A text that ends with NUL and is the caller's to free; NULL where ICU refuses.
// Marks of direction are left out: pages say by their markup which way a text runs.
typedef char *throng_icu_text;

// - locale: as ICU names it, such as de_CH.
throng_icu_language *throng_icu_language_new(const char *locale);
// A pattern of MessageFormat with its arguments in their places.
throng_icu_text throng_icu_say(
    throng_icu_language *language, const char *pattern, const throng_icu_argument *arguments, size_t count);
// A decimal such as -1234.50, with as many digits behind the point as are asked for.
throng_icu_text throng_icu_number(throng_icu_language *language, const char *decimal, int32_t places, bool is_percent);
// A day by a skeleton such as yMMMMd.
// - day: days since 1970-01-01.
throng_icu_text throng_icu_date(throng_icu_language *language, const char *skeleton, int64_t day);
// Several texts as one: "a, b and c", or as a choice "a, b or c".
throng_icu_text throng_icu_list(throng_icu_language *language, const char *const *items, size_t count, bool is_choice);
// The name of a language such as "de", or of a region such as "_002" (ISO 3166, UN M49).
throng_icu_text throng_icu_name(const throng_icu_language *language, const char *code);
bool throng_icu_is_right_to_left(const throng_icu_language *language);
// A tag of BCP 47 with the script and the region that it means where it does not say so: zh-Hant-TW of zh-TW.
throng_icu_text throng_icu_likely(const char *tag);
// The plural categories that the language's whole numbers have, parted by spaces: "one other".
throng_icu_text throng_icu_plurals(throng_icu_language *language);
// The names of a pattern's arguments, parted by spaces, sorted, each with the categories of its plural or the words of its
// select: "count(one,other) group". NULL where the pattern does not parse.
throng_icu_text throng_icu_arguments(const char *pattern);

#ifdef __cplusplus
}
#endif
#endif
