import Synchronization

/// uap-core's rules, loaded from their file when a plan first needs them, with a memory of what they said.
///
/// The rules of one file are one object: plans compiled with it share its memory, which holds no user agent.
package final class UserAgentRules: Sendable {
    /// Where `regexes.yaml` is looked for.
    package let path: String
    private let cache = UserAgentCache()
    private let loading = Mutex<Result<UserAgentGrammar, BucketingProblem>?>(nil)

    /// Where Debian's package uap-core puts the rules.
    package static let systemPath = "/usr/share/uap-core/regexes.yaml"
    /// The system's rules; nothing is read before a plan needs them.
    package static let system = UserAgentRules(path: systemPath)

    /// Names a file that is read when it is first needed.
    package init(path: String = systemPath) { self.path = path }

    /// Reads a file now.
    ///
    /// - Throws: ``BucketingProblem`` where it isn't there, naming the package to install, or isn't uap-core's.
    package static func load(path: String) throws(BucketingProblem) -> UserAgentRules {
        let rules = UserAgentRules(path: path)
        _ = try rules.grammar()
        return rules
    }

    /// What tells these rules from others: the start of their file's SHA-256, or "missing" where it can't be read.
    ///
    /// - Complexity: reads the file on first use.
    package var version: String {
        do throws(BucketingProblem) {
            return try grammar().version
        } catch {
            return "missing"
        }
    }

    /// What the rules say of a user agent, past the memory; for people and tests.
    package func read(_ userAgent: String) throws(BucketingProblem) -> UserAgentReading {
        let grammar = try grammar()
        var copy = userAgent
        return copy.withUTF8 { grammar.read($0) }
    }

    /// The rules, read once however many threads ask first; a failure is remembered too.
    func grammar() throws(BucketingProblem) -> UserAgentGrammar {
        try loading.withLock { loaded in
            if let loaded { return loaded }
            let result = Result { () throws(BucketingProblem) in try UserAgentGrammar(path: path) }
            loaded = result
            return result
        }.get()
    }

    /// Numbers for the families that a plan names.
    func numbers(of families: [BucketLabel]) -> [UInt16] { cache.numbers(of: families) }

    /// A user agent's families as numbers, where it was seen before; nil where it is not remembered.
    func knownCode(of userAgent: UnsafeBufferPointer<UInt8>) -> UserAgentCode? {
        cache.code(of: UnsafeBufferPointer(rebasing: userAgent.prefix(UserAgentGrammar.longest)))
    }

    /// A user agent's families as numbers.
    func code(of userAgent: UnsafeBufferPointer<UInt8>, by grammar: UserAgentGrammar) -> UserAgentCode {
        cache.code(of: UnsafeBufferPointer(rebasing: userAgent.prefix(UserAgentGrammar.longest))) { grammar.read($0) }
    }
}
