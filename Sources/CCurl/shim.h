// Swift can't call what is variadic: an option or an answer of each kind has a function of its own.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

typedef size_t (*throng_curl_take)(char *bytes, size_t size, size_t count, void *context);

// Once a process, before anything else; not 0 where it failed.
static inline int throng_curl_start(void) { return (int)curl_global_init(CURL_GLOBAL_ALL); }

static inline CURLcode throng_curl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode throng_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

// The library copies the text.
static inline CURLcode throng_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

// The bytes, and the list, have to live for as long as the exchange.
static inline CURLcode throng_curl_set_bytes(CURL *handle, CURLoption option, const void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode throng_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode throng_curl_set_take(CURL *handle, CURLoption option, throng_curl_take value) {
    return curl_easy_setopt(handle, option, value);
}

typedef int (*throng_curl_look)(void *context, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

// Called about once a second while an exchange is under way; what it returns other than 0 ends that.
static inline CURLcode throng_curl_set_look(CURL *handle, throng_curl_look value, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, value) : code;
}

// The library copies the bytes.
static inline CURLcode throng_curl_set_blob(CURL *handle, CURLoption option, const void *bytes, size_t length) {
    struct curl_blob blob = {.data = (void *)bytes, .len = length, .flags = CURL_BLOB_COPY};
    return curl_easy_setopt(handle, option, &blob);
}

// 0 where there is no such answer.
static inline long throng_curl_number(CURL *handle, CURLINFO info) {
    long value = 0;
    return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

// How the one exchange of a multi handle ended; -1 where it has not.
static inline int throng_curl_outcome(CURLM *multi) {
    int left = 0;
    CURLMsg *message = curl_multi_info_read(multi, &left);
    return message && message->msg == CURLMSG_DONE ? (int)message->data.result : -1;
}

// Where the library looks for the system's authorities; NULL where it was built without.
static inline const char *throng_curl_authorities(void) { return curl_version_info(CURLVERSION_NOW)->cainfo; }
