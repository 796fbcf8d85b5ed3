import Foundation
import Testing
import Yams

@testable import ThrongPlan

/// The tests that uap-core brings for every implementation; Debian's package installs them beside the rules.
@Suite("Families are those that uap-core's own tests expect")
struct UserAgentCoreTests {
    private struct Cases: Decodable {
        let test_cases: [Case]

        struct Case: Decodable {
            let user_agent_string: String
            let family: String
        }
    }

    private static let folder = URL(fileURLWithPath: UserAgentRules.systemPath).deletingLastPathComponent()
        .appendingPathComponent("tests")

    private func cases(_ name: String) throws -> [Cases.Case] {
        try YAMLDecoder().decode(Cases.self, from: Data(contentsOf: Self.folder.appendingPathComponent(name)))
            .test_cases
    }

    private func read(_ userAgent: String) throws -> UserAgentReading {
        let grammar = try UserAgentRules.system.grammar()
        return Array(userAgent.utf8).withUnsafeBufferPointer { grammar.read($0) }
    }

    private static let isInstalled = FileManager.default.fileExists(atPath: folder.path)

    @Test("browsers", .enabled(if: isInstalled))
    func browsers() throws {
        for expected in try cases("test_ua.yaml") {
            let reading = try read(expected.user_agent_string)
            #expect(reading.browser == expected.family, "\(expected.user_agent_string)")
        }
    }

    @Test("operating systems", .enabled(if: isInstalled))
    func operatingSystems() throws {
        for expected in try cases("test_os.yaml") {
            let reading = try read(expected.user_agent_string)
            #expect(reading.operatingSystem == expected.family, "\(expected.user_agent_string)")
        }
    }
}
