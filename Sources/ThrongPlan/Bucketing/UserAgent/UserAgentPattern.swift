import Synchronization

/// One entry of uap-core's lists: a regular expression and the text that stands for its match.
final class UserAgentPattern: Sendable {
    /// The text for the family; nil stands for the first group.
    private let family: String?
    private let regex: String
    private let ignoresCase: Bool
    let required: RequiredText
    /// The expression, if PCRE2 can compile it; nil before it is first used.
    private let compiled = Mutex<CompiledRegex??>(nil)

    init(regex: String, ignoresCase: Bool, family: String?) {
        self.regex = regex
        self.ignoresCase = ignoresCase
        self.family = family
        required = RequiredText(regex: regex)
    }

    func read(_ text: UnsafeBufferPointer<UInt8>, _ trigrams: TrigramSet) -> String? {
        required.isMet(by: trigrams) ? read(text) : nil
    }

    /// Reads a user agent without the short cut, and returns its family.
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
