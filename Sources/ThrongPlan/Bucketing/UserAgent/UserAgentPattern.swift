import Synchronization

/// One entry of uap-core's lists: a regular expression and the texts that stand for its match.
final class UserAgentPattern: Sendable {
    /// The text for the family; nil stands for the first group.
    private let family: String?
    /// The text for the major version; nil stands for the second group.
    private let major: String?
    private let regex: String
    private let ignoresCase: Bool
    private let required: RequiredText
    private let compiled = Mutex<State>(.untried)

    private enum State {
        case untried
        case compiled(CompiledRegex)
        case unusable
    }

    init(regex: String, ignoresCase: Bool, family: String?, major: String?) {
        self.regex = regex
        self.ignoresCase = ignoresCase
        self.family = family
        self.major = major
        required = RequiredText(regex: regex)
    }

    /// True if the expression can be run at all; compiles it.
    var isUsable: Bool { matcher != nil }

    /// True if there is no short cut, so that every user agent is matched.
    var isAlwaysTried: Bool { required.clauses.isEmpty }

    func read(_ text: UnsafeBufferPointer<UInt8>, _ trigrams: TrigramSet) -> (family: String, major: String?)? {
        required.isMet(by: trigrams) ? read(text) : nil
    }

    /// Reads a user agent without the short cut.
    func read(_ text: UnsafeBufferPointer<UInt8>) -> (family: String, major: String?)? {
        guard let groups = matcher?.match(text) else { return nil }
        func group(_ number: Int) -> String? {
            guard number < groups.count, let bytes = groups[number], !bytes.isEmpty else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
        func filled(_ template: String?, _ number: Int) -> String? {
            guard let template else { return group(number) }
            guard template.utf8.contains(UInt8(ascii: "$")) else { return template }
            var text = template
            for number in 1...9 {
                text = text.split(separator: "$\(number)", omittingEmptySubsequences: false)
                    .joined(separator: group(number) ?? "")
            }
            return text
        }
        func trimmed(_ text: String?) -> String? {
            guard let text else { return nil }
            let start = text.drop { $0 == " " }
            let end = start.lastIndex { $0 != " " }
            return end.map { String(start[...$0]) }
        }
        return (trimmed(filled(family, 1)) ?? UserAgentReading.unknown, trimmed(filled(major, 2)))
    }

    /// The expression, compiled on first use: a crowd's user agents need few of the expressions.
    private var matcher: CompiledRegex? {
        compiled.withLock { state in
            switch state {
            case .compiled(let regex): return regex
            case .unusable: return nil
            case .untried:
                guard let regex = CompiledRegex(regex, ignoringCase: ignoresCase) else {
                    state = .unusable
                    return nil
                }
                state = .compiled(regex)
                return regex
            }
        }
    }
}
