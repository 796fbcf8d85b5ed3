import Testing
import ThrongPlan
import ThrongSystem

@Suite("Every bucketing is total, closed and idempotent")
struct BucketingPropertyTests {
    @Test("every value has a bucket, also missing, of the wrong type, huge and odd ones", arguments: SampleRules.all)
    func total(rule: BucketingRule) throws {
        let bucketing = try SampleRules.compiled(rule)
        let buckets = bucketing.labels.indices
        for value in NastyValues.fixed + NastyValues.random(3_000, near: bucketing.labels, seed: 11) {
            #expect(buckets.contains(value.bucket(in: bucketing)), "\(value)")
        }
        for value in [SampleValue.missing, .flag(false), .text("no such thing"), .text("")] {
            #expect(value.label(in: bucketing) == "other", "\(value)")
        }
    }

    @Test("a value has the same bucket each time, whatever came between", arguments: SampleRules.all)
    func stable(rule: BucketingRule) throws {
        let bucketing = try SampleRules.compiled(rule)
        let values = NastyValues.fixed + NastyValues.random(500, near: bucketing.labels, seed: 12)
        let first = values.map { $0.bucket(in: bucketing) }
        let again = try SampleRules.compiled(rule)
        #expect(values.reversed().map { $0.bucket(in: bucketing) } == first.reversed())
        #expect(values.map { $0.bucket(in: again) } == first)
    }

    @Test("the buckets are known before any value, each once, and the last is other", arguments: SampleRules.all)
    func closed(rule: BucketingRule) throws {
        let labels = try SampleRules.compiled(rule).labels
        #expect(Set(labels).count == labels.count)
        #expect(labels.last == .other)
        #expect(try rule.labels() == labels)
    }

    @Test("a bucket's label lands in that bucket", arguments: SampleRules.all)
    func idempotent(rule: BucketingRule) throws {
        let bucketing = try SampleRules.compiled(rule)
        for (bucket, label) in bucketing.labels.enumerated() {
            #expect(SampleValue.text(label.text).bucket(in: bucketing) == bucket, "\(label)")
        }
    }

    @Test("bucketing a bucketed value changes nothing", arguments: SampleRules.all)
    func coarsenedTwice(rule: BucketingRule) throws {
        let bucketing = try SampleRules.compiled(rule)
        for value in NastyValues.fixed + NastyValues.random(1_000, near: bucketing.labels, seed: 13) {
            let bucket = value.bucket(in: bucketing)
            #expect(SampleValue.text(bucketing.labels[bucket].text).bucket(in: bucketing) == bucket, "\(value)")
        }
    }

    @Test("no label would be odd in a CSV file, a spreadsheet or SQL", arguments: SampleRules.all)
    func labelsArePlain(rule: BucketingRule) throws {
        for label in try SampleRules.compiled(rule).labels {
            #expect(label.isPrintable, "\(label)")
        }
    }

    @Test("two normal forms of one letter are two values")
    func normalForms() throws {
        let bucketing = try SampleRules.compiled(
            .list([
                BucketGroup(label: "composed", values: ["\u{e9}"]),
                BucketGroup(label: "combining", values: ["e\u{301}"]),
            ]))
        #expect(SampleValue.text("\u{e9}").label(in: bucketing) == "composed")
        #expect(SampleValue.text("e\u{301}").label(in: bucketing) == "combining")
        #expect(SampleValue.text("e").label(in: bucketing) == "other")
    }

    @Test("numeric text has the bucket of the number")
    func numericText() throws {
        let rules: [BucketingRule] = [
            .bands(edges: [-3, 0.5, 10, 390]), .significantFigures(digits: 2, lowest: 0.1, highest: 1e6),
            .powers(base: 2, lowestExponent: -2, highestExponent: 20), .screen(mediumFrom: 600, largeFrom: 1024),
            .utcOffset(bandHours: 3), .time(part: .weekday, timeZone: "Europe/Vienna"),
        ]
        var generator = SeededGenerator(seed: 14)
        for rule in rules {
            let bucketing = try SampleRules.compiled(rule)
            for _ in 0..<500 {
                let integer = Int64.random(in: -2_000...2_000_000_000, using: &generator)
                let bucket = SampleValue.integer(integer).bucket(in: bucketing)
                #expect(SampleValue.number(Double(integer)).bucket(in: bucketing) == bucket)
                // "24" is also the label of a day or an hour, and a label comes first.
                if !bucketing.labels.contains(BucketLabel("\(integer)")) {
                    #expect(SampleValue.text("\(integer)").bucket(in: bucketing) == bucket, "\(integer)")
                }
            }
        }
    }
}
