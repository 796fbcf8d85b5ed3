import CPCRE2
import Crypto
import Foundation
import Synchronization
import Yams

/// uap-core's rules, loaded when a plan first needs them, with a cache of their answers that all plans share.
package final class UserAgentRules: Sendable {
    package let path: String
    private let cache = UserAgentCache()
    private let loading = Mutex<Result<UserAgentGrammar, BucketingProblem>?>(nil)

    /// The path at which Debian's package uap-core puts the rules.
    package static let systemPath = "/usr/share/uap-core/regexes.yaml"
    /// The system's rules; nothing is read before a plan needs them.
    package static let system = UserAgentRules(path: systemPath)

    package init(path: String = systemPath) { self.path = path }

    /// The version of the rules: the start of their file's SHA-256, or "missing" if the file can't be read.
    ///
    /// - Complexity: reads the file on first use.
    package var version: String {
        do throws(BucketingProblem) { return try grammar().version } catch { return "missing" }
    }

    /// True if a family stands in a rule of the file, or if that can't be read and nobody knows; for advice only.
    package func mentions(_ family: String) -> Bool {
        guard let bytes = FileManager.default.contents(atPath: path) else { return true }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").contains { line in
            line.contains(family) && line.first { $0 != " " } != "#"
        }
    }

    /// The rules, read once however many threads ask first; a failure is remembered too.
    ///
    /// - Throws: ``BucketingProblem`` where the file isn't there, naming the package to install, or isn't uap-core's.
    func grammar() throws(BucketingProblem) -> UserAgentGrammar {
        try loading.withLock { loaded in
            if let loaded { return loaded }
            let result = Result { () throws(BucketingProblem) in try UserAgentGrammar(path: path) }
            loaded = result
            return result
        }.get()
    }

    func numbers(of families: [BucketLabel]) -> [UInt16] { cache.numbers(of: families) }

    /// Returns a user agent's families as numbers; nil if the cache does not hold it.
    func knownCode(of userAgent: UnsafeBufferPointer<UInt8>) -> UserAgentCode? {
        cache.code(of: UnsafeBufferPointer(rebasing: userAgent.prefix(UserAgentGrammar.longest)))
    }

    func code(of userAgent: UnsafeBufferPointer<UInt8>, by grammar: UserAgentGrammar) -> UserAgentCode {
        cache.code(of: UnsafeBufferPointer(rebasing: userAgent.prefix(UserAgentGrammar.longest))) { grammar.read($0) }
    }
}

/// uap-core's three lists of patterns, from `regexes.yaml`; in each the first that matches wins ("ua-parser Specification" 0.2).
final class UserAgentGrammar: Sendable {
    /// SHA-256 of the file's bytes, the first 16 hexadecimal digits.
    let version: String
    let browsers: [UserAgentPattern]
    let operatingSystems: [UserAgentPattern]
    let devices: [UserAgentPattern]
    /// Those of `devices` that are crawlers'.
    private let spiders: [UserAgentPattern]

    /// Bytes of a user agent that are read. Longer ones are cut, so nobody can make a match take long.
    static let longest = 1024

    init(path: String) throws(BucketingProblem) {
        guard let bytes = FileManager.default.contents(atPath: path) else { throw .missingUserAgentRules(path: path) }
        let file: File
        do {
            file = try YAMLDecoder().decode(File.self, from: bytes)
        } catch { throw .malformedUserAgentRules(path: path, reason: "it is not uap-core's regexes.yaml (\(error))") }
        version = SHA256.hash(data: bytes).prefix(8).lowerHex
        func patterns(_ entries: [File.Entry], _ family: (File.Entry) -> String?) -> [UserAgentPattern] {
            entries.map { UserAgentPattern(regex: $0.regex, ignoresCase: $0.regex_flag == "i", family: family($0)) }
        }
        browsers = patterns(file.user_agent_parsers, \.family_replacement)
        operatingSystems = patterns(file.os_parsers, \.os_replacement)
        devices = patterns(file.device_parsers, \.device_replacement)
        spiders = patterns(
            file.device_parsers.filter { $0.device_replacement == DeviceClass.spider }, \.device_replacement)
        guard !browsers.isEmpty, !operatingSystems.isEmpty, !devices.isEmpty else {
            throw .malformedUserAgentRules(path: path, reason: "one of its three lists is empty")
        }
    }

    /// Reads a user agent.
    ///
    /// - Complexity: a match with each pattern up to the first that fits; about a tenth of a millisecond. Devices have as
    ///   many as browsers and systems together, and are looked through for few user agents.
    func read(_ whole: UnsafeBufferPointer<UInt8>) -> UserAgentReading {
        let text = UnsafeBufferPointer(rebasing: whole.prefix(Self.longest))
        func first(_ patterns: [UserAgentPattern]) -> String {
            for pattern in patterns { if let family = pattern.read(text) { return family } }
            return UserAgentReading.unknown
        }
        let operatingSystem = first(operatingSystems)
        let isSuspect = spiders.contains { $0.matcher?.match(text) != nil }
        return UserAgentReading(
            browser: first(browsers), operatingSystem: operatingSystem,
            deviceClass: DeviceClass(
                operatingSystem: operatingSystem, device: { first(devices) }, isSuspect: isSuspect, userAgent: text))
    }

    /// The file's shape, in its own words.
    private struct File: Decodable {
        let user_agent_parsers, os_parsers, device_parsers: [Entry]

        struct Entry: Decodable {
            let regex: String
            let regex_flag, family_replacement, os_replacement, device_replacement: String?
        }
    }
}

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
