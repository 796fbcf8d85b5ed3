import ThrongLoad
import ThrongPlan

extension Crowd {
    /// Devices that are the only one in their combination of buckets, over every dimension of the plan that tells
    /// something about a device.
    func uniqueBucketed(plan: Plan) throws -> (unique: Int, dimensions: [DimensionName]) {
        let known: Set<FieldName> = ["user_agent", "screen", "memory_gb", "cores"]
        let dimensions = plan.dimensions.filter { known.contains($0.field) }
        let bucketings = try dimensions.map { (field: $0.field.text, bucketing: try $0.rule.compiled(rules: .system)) }
        var seen: [[Int]: Int] = [:]
        for device in devices {
            seen[bucketings.map { bucket(of: device, field: $0.field, $0.bucketing) }, default: 0] += 1
        }
        return (seen.values.count { $0 == 1 }, dimensions.map(\.name))
    }

    private func bucket(of device: SampleDevice, field: String, _ bucketing: any Bucketing) -> Int {
        switch field {
        case "user_agent": bucket(device.userAgent, bucketing)
        case "screen": bucket(device.screen, bucketing)
        case "memory_gb": bucketing.bucket(device.memory.map { .number($0) } ?? .missing)
        default: bucketing.bucket(device.cores.map { .integer($0) } ?? .missing)
        }
    }

    private func bucket(_ text: String?, _ bucketing: any Bucketing) -> Int {
        guard var text else { return bucketing.bucket(.missing) }
        return text.withUTF8 { bucketing.bucket(.text(FieldText($0))) }
    }
}
