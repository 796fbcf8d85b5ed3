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

    @Test("a legal basis stands where nobody is asked: Article 6(1)(b) to (f)", arguments: LegalBasis.allCases)
    func basis(basis: LegalBasis) throws {
        let line = "    legal_basis: \(basis.rawValue)\n"
        let plan = try SamplePlan.small(Self.line, Self.line + line)
        #expect(plan.purposes[0].legalBasis == basis)
        let record = ProcessingRecord(of: plan)
        #expect(record.purposes[0].basis.rawValue == basis.rawValue)
        #expect(record.markdown.contains("(Art. 6(1)(\(basis.letter))), as the plan says."))
        #expect(record.markdown.contains("People may object") == basis.allowsObjection)
        #expect(
            try SamplePlan.problems(Self.line, "    consent: required\n" + line)
                == [
                    """
                    11:18: purpose 'product': 'legal_basis' is there and 'consent' is required; a person's yes is the legal \
                    basis then: delete it, or write consent: not_required
                    """
                ])
        #expect(
            try SamplePlan.problems(Self.line, Self.line + "    legal_basis: consent\n").first?
                .contains("'legal_basis': found 'consent'") == true)
    }

    @Test("another legal basis than people were told of widens; a first one is words")
    func changed() throws {
        func plan(_ basis: LegalBasis?) throws -> Plan {
            try SamplePlan.small(Self.line, Self.line + (basis.map { "    legal_basis: \($0.rawValue)\n" } ?? ""))
        }
        func kinds(_ before: LegalBasis?, _ after: LegalBasis?) throws -> [PlanChange.Kind] {
            try PlanDiff(from: plan(before), to: plan(after), rules: .system).changes.map(\.kind)
        }
        #expect(try kinds(nil, .contract) == [.words] && kinds(.contract, nil) == [.widens])
        #expect(try kinds(.contract, .legitimateInterests) == [.widens] && kinds(.contract, .contract) == [])
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
