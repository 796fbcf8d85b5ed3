import CPCRE2
import Synchronization

/// One entry of uap-core's lists: a regular expression and the text that stands for its match.
final class UserAgentPattern: Sendable {
    /// The text for the family; nil stands for the first group.
    private let family: String?
    private let regex: String
    private let ignoresCase: Bool
    /// The expression, if PCRE2 can compile it; nil before it is first used.
    private let compiled = Mutex<CompiledRegex??>(nil)

    init(regex: String, ignoresCase: Bool, family: String?) {
        (self.regex, self.ignoresCase, self.family) = (regex, ignoresCase, family)
    }

    /// Returns a user agent's family; nil if the expression does not match.
    func read(_ text: UnsafeBufferPointer<UInt8>) -> String? {
        guard let groups = matcher?.match(text) else { return nil }
        func group(_ number: Int) -> String? {
            guard number < groups.count, let bytes = groups[number], !bytes.isEmpty else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
        var filled = family ?? group(1) ?? ""
        if let family, family.utf8.contains(UInt8(ascii: "$")) {
            for number in 1...9 {
                filled = filled.split(separator: "$\(number)", omittingEmptySubsequences: false)
                    .joined(separator: group(number) ?? "")
            }
        }
        let start = filled.drop { $0 == " " }
        return start.lastIndex { $0 != " " }.map { String(start[...$0]) } ?? UserAgentReading.unknown
    }

    /// The expression, compiled on first use: a crowd's user agents need few of the expressions.
    var matcher: CompiledRegex? {
        compiled.withLock { known in
            if let known { return known }
            let matcher = CompiledRegex(regex, ignoringCase: ignoresCase)
            known = .some(matcher)
            return matcher
        }
    }
}

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
