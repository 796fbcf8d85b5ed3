internal import Foundation
internal import ThrongPlan
internal import ThrongSystem

/// Writes what follows a batch's names: its context and its events.
struct BodyWriter {
    private let devices: [SampleDevice]
    private let vocabulary: Vocabulary
    private let contextFields: [FieldName]
    private let events: [(name: String, fields: [FieldName])]
    private let shape: PreparedBatches.Shape
    private let times: [String]
    private var random: SeededGenerator

    init(plan: Plan, purpose: Purpose, devices: [SampleDevice], shape: PreparedBatches.Shape, now: UnixSeconds) throws {
        self.devices = devices
        self.shape = shape
        let vocabulary = try Vocabulary(plan: plan, purpose: purpose.name)
        self.vocabulary = vocabulary
        // The fields of a device can't differ from one of its events to the next.
        let fixed = Set(plan.dimensions.filter(\.partitionsDevices).map(\.field))
            .union(devices.isEmpty ? [] : SampleDevice.fieldNames.map { FieldName($0) })
        func isOwn(_ field: FieldName) -> Bool {
            vocabulary.isNumber(field) || shape.spreadsEvents && !fixed.contains(field)
        }
        contextFields = plan.contextFields(of: purpose.name).filter { !isOwn($0) }.sorted()
        events = plan.events(of: purpose.name).map { event in
            (event.text.quotedJSON, plan.fields(of: event, purpose: purpose.name).filter(isOwn).sorted())
        }
        times = (60..<Int64(120)).map { Crowd.text(of: now - $0) }
        random = SeededGenerator(seed: shape.seed)
    }

    /// The next body's rest, up to and including its last brace.
    mutating func next() -> String {
        let events = (0..<shape.events).map { _ in event() }
        return "\"context\":{\(context())},\"events\":[\(events.joined(separator: ","))]}"
    }

    private mutating func context() -> String {
        let device = devices.randomElement(using: &random)?.fields
        return contextFields.compactMap { field in
            // A field that a real device does not send stays out.
            let json =
                if let device, SampleDevice.fieldNames.contains(field.text) {
                    device.first { $0.name == field.text }?.json
                } else {
                    vocabulary.json(field, using: &random)
                }
            return json.map { "\"\(field)\":\($0)" }
        }.joined(separator: ",")
    }

    private mutating func event() -> String {
        // Few kinds of events make most of the traffic: the kind of rank r with a weight of 1/r, near enough.
        let event = events[min(Int(pow(Double(events.count + 1), random.fraction())) - 1, events.count - 1)]
        let at = times[Int(random.next() % UInt64(times.count))]
        let fields = event.fields.compactMap { field in
            vocabulary.json(field, using: &random).map { "\"\(field)\":\($0)" }
        }
        let own = fields.isEmpty ? "" : ",\"fields\":{\(fields.joined(separator: ","))}"
        return "{\"event\":\(event.name),\"at\":\"\(at)\"\(own)}"
    }
}

extension Purpose {
    /// The member of a batch for the version that people agreed to, or the one before it, with a comma behind it; empty
    /// where that is the first.
    func consentMember(isOutdated: Bool = false) -> String {
        let version = isOutdated ? consentVersion - 1 : consentVersion
        return version > 1 ? "\"consent_version\":\(version)," : ""
    }
}
