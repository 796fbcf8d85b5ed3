import CPCRE2

/// A regular expression, compiled by PCRE2 and translated to machine code, that matches bytes.
///
/// `@unchecked Sendable`: the only stored property is a pointer to compiled code, which is private, is never written
/// after `init`, and may be used by any number of threads at once (PCRE2's manual, pcre2api, "Multithreading"); every
/// match brings match data and a stack of its own.
final class CompiledRegex: @unchecked Sendable {
    private let code: OpaquePointer

    /// Compiles an expression; nil if PCRE2 can't.
    init?(_ regex: String, ignoringCase: Bool) {
        var error: Int32 = 0
        var offset = 0
        let bytes = Array(regex.utf8)
        let options = ignoringCase ? UInt32(PCRE2_CASELESS) : 0
        guard let code = pcre2_compile_8(bytes, bytes.count, options, &error, &offset, nil) else { return nil }
        self.code = code
        // Matching interprets the expression if it can't be translated to machine code.
        _ = pcre2_jit_compile_8(code, PCRE2_JIT_COMPLETE)
    }

    deinit { pcre2_code_free_8(code) }

    /// The effort after which a match counts as none. Unit: PCRE2's internal match calls.
    private static let effort: UInt32 = 200_000

    /// The groups of the first match, the whole match first; nil for no match. A group that took no part is nil.
    func match(_ text: UnsafeBufferPointer<UInt8>) -> [Slice<UnsafeBufferPointer<UInt8>>?]? {
        guard let data = pcre2_match_data_create_from_pattern_8(code, nil),
            let context = pcre2_match_context_create_8(nil)
        else { return nil }
        defer {
            pcre2_match_data_free_8(data)
            pcre2_match_context_free_8(context)
        }
        pcre2_set_match_limit_8(context, Self.effort)
        var found = pcre2_match_8(code, text.baseAddress, text.count, 0, 0, data, context)
        if found == PCRE2_ERROR_JIT_STACKLIMIT {
            found = pcre2_match_8(code, text.baseAddress, text.count, 0, UInt32(PCRE2_NO_JIT), data, context)
        }
        guard found > 0, let ends = pcre2_get_ovector_pointer_8(data) else { return nil }
        return (0..<Int(pcre2_get_ovector_count_8(data))).map { group in
            let (start, end) = (ends[2 * group], ends[2 * group + 1])
            // PCRE2_UNSET, for a group that took no part, is the largest size and so -1 here.
            guard group < Int(found), start >= 0, start <= end, end <= text.count else { return nil }
            return text[start..<end]
        }
    }
}
