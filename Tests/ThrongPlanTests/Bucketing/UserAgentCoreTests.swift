import Foundation
import Testing
import ThrongPlan
import Yams

/// The tests that uap-core brings for every implementation; Debian's package installs them beside the rules.
@Suite("Families and versions are those that uap-core's own tests expect")
struct UserAgentCoreTests {
    private struct Cases: Decodable {
        let test_cases: [Case]

        struct Case: Decodable {
            let user_agent_string: String
            let family: String
            let major: String?
        }
    }

    private static let folder = URL(fileURLWithPath: UserAgentRules.systemPath).deletingLastPathComponent()
        .appendingPathComponent("tests")

    private func cases(_ name: String) throws -> [Cases.Case] {
        try YAMLDecoder().decode(Cases.self, from: Data(contentsOf: Self.folder.appendingPathComponent(name)))
            .test_cases
    }

    private static let isInstalled = FileManager.default.fileExists(atPath: folder.path)

    @Test("browsers", .enabled(if: isInstalled))
    func browsers() throws {
        for expected in try cases("test_ua.yaml") {
            let reading = try UserAgentRules.system.read(expected.user_agent_string)
            #expect(reading.browser == expected.family, "\(expected.user_agent_string)")
            #expect(reading.browserMajor ?? "" == expected.major ?? "", "\(expected.user_agent_string)")
        }
    }

    @Test("operating systems", .enabled(if: isInstalled))
    func operatingSystems() throws {
        for expected in try cases("test_os.yaml") {
            let reading = try UserAgentRules.system.read(expected.user_agent_string)
            #expect(reading.operatingSystem == expected.family, "\(expected.user_agent_string)")
            #expect(reading.operatingSystemMajor ?? "" == expected.major ?? "", "\(expected.user_agent_string)")
        }
    }
}
