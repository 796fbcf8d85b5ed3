import Testing
import ThrongPlan

@Suite("Bucketing ends what makes 20,000 real devices unique")
struct DeviceSampleTests {
    private struct Column {
        let bucketing: any Bucketing
        let value: (DeviceSample.Device) -> SampleValue

        init(_ rule: BucketingRule, _ value: @escaping (DeviceSample.Device) -> SampleValue) throws {
            bucketing = try SampleRules.compiled(rule)
            self.value = value
        }

        func bucket(_ device: DeviceSample.Device) -> Int { value(device).bucket(in: bucketing) }
    }

    private static func columns() throws -> [Column] {
        [
            try Column(.operatingSystem(families: [])) { .text($0.user_agent) },
            try Column(.browser(families: [])) { .text($0.user_agent) },
            try Column(.deviceClass) { .text($0.user_agent) },
            try Column(.screen(mediumFrom: 600, largeFrom: 1024)) { .text($0.screen) },
            try Column(.memoryBands) { $0.device_memory_gb.map { .number($0) } ?? .missing },
            try Column(.coreBands) { $0.hardware_concurrency.map { .integer(Int64($0)) } ?? .missing },
        ]
    }

    @Test("as they came, 14,926 of the devices are unique among 16,014 tuples")
    func raw() throws {
        let lines = try DeviceSample.lines()
        let counts = Dictionary(lines.map { ($0, 1) }, uniquingKeysWith: +)
        #expect(lines.count == 20_000)
        #expect(counts.count == 16_014)
        #expect(counts.values.filter { $0 == 1 }.count == 14_926)
    }

    @Test("a user agent whose versions are cut, as throng.js cuts them, is of the same families")
    func cutUserAgents() throws {
        let rules: [BucketingRule] = [.operatingSystem(families: []), .browser(families: []), .deviceClass]
        for rule in rules {
            let bucketing = try SampleRules.compiled(rule)
            let wrong = try DeviceSample.userAgents().filter { userAgent in
                let cut = userAgent.replacing(/([._])[0-9]+/) { "\($0.1)0" }
                return SampleValue.text(userAgent).bucket(in: bucketing) != SampleValue.text(cut).bucket(in: bucketing)
            }
            #expect(wrong.isEmpty, "\(rule): \(wrong.count), such as \(wrong.prefix(3))")
        }
    }

    @Test("every device lands in a listed bucket, and only what browsers did not report in other")
    func everyDevice() throws {
        let devices = try DeviceSample.devices()
        for (place, column) in try Self.columns().enumerated() {
            let other = column.bucketing.labels.count - 1
            for device in devices {
                let bucket = column.bucket(device)
                #expect(column.bucketing.labels.indices.contains(bucket))
                if place == 4, device.device_memory_gb == nil { continue }
                #expect(bucket != other, "\(column.bucketing.labels) \(device)")
            }
        }
    }

    @Test("bucketed by system and class, no device is unique; by all six, fewer than one in 500 is")
    func fewUnique() throws {
        let columns = try Self.columns()
        let tuples = try DeviceSample.devices().map { device in columns.map { $0.bucket(device) } }
        func unique(_ places: [Int]) -> Int {
            Dictionary(tuples.map { tuple in (places.map { tuple[$0] }, 1) }, uniquingKeysWith: +).values
                .filter { $0 == 1 }.count
        }
        #expect(unique([0, 2]) == 0)
        #expect(unique([0, 1, 3]) <= 5)
        #expect(unique([0, 1, 2, 3, 4, 5]) < 40)
    }
}
