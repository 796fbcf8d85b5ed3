import ArgumentParser
import Foundation
import Testing
import ThrongCrowd
import ThrongPlan

@testable import throng

@Suite("The devices that plan check tries a plan on")
struct CrowdOptionsTests {
    @Test("they are as many a day as were recorded, or else the plan's audience, unless somebody says how many")
    func devices() throws {
        let plan = try Plan(
            yaml: """
                app: {name: calls, title: Calls, owner: Desk, contact: desk@example.org, audience: 500}
                purposes: {desk: {explanation: To staff it., consent: required, rotation: 1 day, retention: 90 days}}
                metrics:
                  calls: {title: Calls, events: [called], question: How many?, decision: Staff., owner: Desk,
                    expires: 2027-10-31, purpose: desk, period: day}
                """, file: "calls.yaml", today: CalendarDate(daysSince1970: 20_777))
        let file = FileManager.default.temporaryDirectory.appending(path: "events-\(UUID()).ndjson")
        defer { try? FileManager.default.removeItem(at: file) }
        // Thirty on one day, and ten on another.
        let lines = (0..<40).map { place in
            #"{"event":"called","at":"2026-11-2\#(place / 30)T10:00:00Z","device":"\#(place % 30)"}"#
        }
        try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
        func devices(_ options: String...) throws -> Int {
            try CrowdOptions.parse(options).tried(plan) { _, terms, _ in terms.devices }
        }
        #expect(try devices() == 500)
        #expect(try devices("--events", file.path) == 20)
        #expect(try devices("--events", file.path, "--audience", "70") == 70)
    }
}
