import Foundation
import Testing
import ThrongPlan
import ThrongWire

/// What the daemon and devices must agree on, because one coarsens before the other.
@Suite("A device coarsens as the daemon does")
struct SharedBucketingTests {
    @Test("a rule in the public plan reads back as the rule that it was", arguments: SampleRules.all)
    func roundTrip(rule: BucketingRule) throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let json = try encoder.encode(rule)
        #expect(try decoder.decode(BucketingRule.self, from: json) == rule)
        #expect(String(decoding: json, as: UTF8.self).contains("\"kind\":"))
    }

    @Test("a rule of an unknown kind is no rule")
    func unknownKind() {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(BucketingRule.self, from: Data(#"{"kind":"soundex"}"#.utf8))
        }
    }

    @Test("a device without user agent rules says its label, and the daemon has the same buckets")
    func labelsOnly() throws {
        for rule in [BucketingRule.browser(families: []), .operatingSystem(families: []), .deviceClass] {
            let labels = try rule.labels()
            let onDevice = try rule.compiled { _, _ throws(BucketingProblem) in try LabelBucketing(labels) }
            #expect(onDevice.labels == labels)
            for (bucket, label) in labels.enumerated() {
                #expect(label.text.withFieldValue { onDevice.bucket($0) } == bucket)
            }
            let unknown = "Mozilla/5.0 (X11; Linux x86_64)".withFieldValue { onDevice.bucket($0) }
            #expect(labels[unknown] == .other)
        }
    }

    @Test("every time zone that this machine lists has an offset, and every name is one that it knows")
    func zones() throws {
        let bucketing = try BucketingRule.utcOffset(bandHours: 1).compiled(rules: .system)
        for name in TimeZone.knownTimeZoneIdentifiers {
            let bucket = name.withFieldValue { bucketing.bucket($0) }
            #expect(bucketing.labels[bucket] != .other, "\(name)")
        }
        #expect(StandardOffsets.names.count == Set(StandardOffsets.names).count)
        #expect(StandardOffsets.names.filter { TimeZone(identifier: $0) == nil } == [])
    }
}
