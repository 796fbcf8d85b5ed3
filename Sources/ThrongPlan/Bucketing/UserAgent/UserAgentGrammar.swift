import Crypto
import Foundation
import ThrongWire
import Yams

/// uap-core's three lists of patterns, from `regexes.yaml`; in each the first that matches wins ("ua-parser Specification" 0.2).
final class UserAgentGrammar: Sendable {
    /// SHA-256 of the file's bytes, the first 16 hexadecimal digits.
    let version: String
    let browsers: [UserAgentPattern]
    let operatingSystems: [UserAgentPattern]
    let devices: [UserAgentPattern]

    /// Bytes of a user agent that are read. Longer ones are cut, so nobody can make a match take long.
    static let longest = 1024

    init(path: String) throws(BucketingProblem) {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw .missingUserAgentRules(path: path)
        }
        let file: File
        do {
            file = try YAMLDecoder().decode(File.self, from: bytes)
        } catch {
            throw .malformedUserAgentRules(path: path, reason: "it is not uap-core's regexes.yaml (\(error))")
        }
        version = SHA256.hash(data: bytes).prefix(8).lowerHex
        func patterns(_ entries: [File.Entry], _ family: (File.Entry) -> String?) -> [UserAgentPattern] {
            entries.map {
                UserAgentPattern(regex: $0.regex, ignoresCase: $0.regex_flag == "i", family: family($0))
            }
        }
        browsers = patterns(file.user_agent_parsers, \.family_replacement)
        operatingSystems = patterns(file.os_parsers, \.os_replacement)
        devices = patterns(file.device_parsers, \.device_replacement)
        guard !browsers.isEmpty, !operatingSystems.isEmpty, !devices.isEmpty else {
            throw .malformedUserAgentRules(path: path, reason: "one of its three lists is empty")
        }
    }

    /// Reads a user agent.
    ///
    /// - Complexity: bit tests with every pattern, a match with a few; about a tenth of a millisecond.
    func read(_ whole: UnsafeBufferPointer<UInt8>) -> UserAgentReading {
        let text = UnsafeBufferPointer(rebasing: whole.prefix(Self.longest))
        let trigrams = TrigramSet(text)
        func first(_ patterns: [UserAgentPattern]) -> String {
            for pattern in patterns { if let family = pattern.read(text, trigrams) { return family } }
            return UserAgentReading.unknown
        }
        let operatingSystem = first(operatingSystems)
        return UserAgentReading(
            browser: first(browsers), operatingSystem: operatingSystem,
            deviceClass: DeviceClass(operatingSystem: operatingSystem, device: first(devices), userAgent: text))
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
