import Foundation
import Synchronization

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

    /// Reads a file now.
    ///
    /// - Throws: ``BucketingProblem`` where it isn't there, naming the package to install, or isn't uap-core's.
    package static func load(path: String) throws(BucketingProblem) -> UserAgentRules {
        let rules = UserAgentRules(path: path)
        _ = try rules.grammar()
        return rules
    }

    /// The version of the rules: the start of their file's SHA-256, or "missing" if the file can't be read.
    ///
    /// - Complexity: reads the file on first use.
    package var version: String {
        do throws(BucketingProblem) {
            return try grammar().version
        } catch {
            return "missing"
        }
    }

    /// True if a family stands in a rule of the file, or if that can't be read and nobody knows; for advice only.
    package func mentions(_ family: String) -> Bool {
        guard let bytes = FileManager.default.contents(atPath: path) else { return true }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").contains { line in
            line.contains(family) && line.first { $0 != " " } != "#"
        }
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

    func numbers(of families: [BucketLabel]) -> [UInt16] { cache.numbers(of: families) }

    /// Returns a user agent's families as numbers; nil if the cache does not hold it.
    func knownCode(of userAgent: UnsafeBufferPointer<UInt8>) -> UserAgentCode? {
        cache.code(of: UnsafeBufferPointer(rebasing: userAgent.prefix(UserAgentGrammar.longest)))
    }

    func code(of userAgent: UnsafeBufferPointer<UInt8>, by grammar: UserAgentGrammar) -> UserAgentCode {
        cache.code(of: UnsafeBufferPointer(rebasing: userAgent.prefix(UserAgentGrammar.longest))) { grammar.read($0) }
    }
}
