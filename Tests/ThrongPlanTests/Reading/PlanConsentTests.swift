import Foundation
import Testing

@testable import ThrongPlan

@Suite("A plan says which version of a purpose people are asked about")
struct PlanConsentTests {
    private static let line = "    consent: not_required\n"

    @Test("the first unless given; clients are told, whatever it is")
    func version() throws {
        func plan(_ version: String) throws -> Plan {
            try SamplePlan.small(Self.line, "    consent: required\n\(version)")
        }
        #expect(try plan("").purposes[0].consentVersion == 1)
        #expect(try plan("").publicPlan().purposes[0].consentVersion == 1)
        let second = try plan("    consent_version: 2\n")
        #expect(second.purposes[0].consentVersion == 2)
        #expect(String(decoding: try second.publicDocument(), as: UTF8.self).contains("\"consent_version\":2"))
    }

    @Test(
        "what is no version is refused, with what is allowed",
        arguments: [
            ("0", " is 0; 1 to 1000000 is allowed"), ("-1", " is -1; 1 to 1000000 is allowed"),
            ("1000001", " is 1000001; 1 to 1000000 is allowed"),
            ("two", ": found 'two'; a whole number from 1 to 1000000 is allowed"),
            ("1.5", ": found '1.5'; a whole number from 1 to 1000000 is allowed"),
            ("'2'", ": found the text '2'; a whole number from 1 to 1000000 is allowed, without quotes"),
        ])
    func nonsense(version: String, words: String) throws {
        #expect(
            try SamplePlan.problems(Self.line, "    consent: required\n    consent_version: \(version)\n")
                == ["11:22: purpose 'product': 'consent_version'\(words)"])
    }

    @Test("where nobody is asked there is no version", arguments: [1, 2])
    func nobody(version: Int) throws {
        #expect(
            try SamplePlan.problems(Self.line, Self.line + "    consent_version: \(version)\n")
                == [
                    """
                    11:22: purpose 'product': 'consent_version' is there and 'consent' is not_required; a version is allowed \
                    where people are asked: delete it, or write consent: required or parent
                    """
                ])
    }
}
