import Crypto
import Foundation
import Synchronization
import ThrongWire
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
        } catch {
            throw .malformedUserAgentRules(path: path, reason: "it is not uap-core's regexes.yaml (\(error))")
        }
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
        let user_agent_parsers: [Entry]
        let os_parsers: [Entry]
        let device_parsers: [Entry]

        struct Entry: Decodable {
            let regex: String
            let regex_flag: String?
            let family_replacement: String?
            let os_replacement: String?
            let device_replacement: String?
        }
    }
}
