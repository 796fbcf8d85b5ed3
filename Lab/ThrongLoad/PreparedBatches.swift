internal import Foundation
package import ThrongCrowd
package import ThrongIngest
package import ThrongPlan
internal import ThrongSystem

/// Bodies of `POST /v1/batches` that were made before the clock runs, each to be sent many times.
///
/// All begin alike, so that window, batch id and identifier, which make a batch one of its own, lie at the same places
/// in every body and are written over: sending costs a copy, no formatting.
package struct PreparedBatches: Sendable {
    package struct Shape: Sendable {
        package var events: Int
        package var bodies: Int
        /// True if events carry fields of their own, drawn for each; false if they share what the batch's context says.
        package var spreadsEvents: Bool
        /// Decides which events and values; the same bodies for the same seed.
        package var seed: UInt64
        /// Identifiers are of these slots only, as at a daemon behind a balancer that knows slots; of any where there
        /// are none.
        package var slots: Set<Slot> = []

        /// 100 events, 2,000 bodies, everything in the context.
        package init(events: Int = 100, bodies: Int = 2000, spreadsEvents: Bool = false, seed: UInt64 = 1) {
            (self.events, self.bodies, self.spreadsEvents, self.seed) = (events, bodies, spreadsEvents, seed)
        }
    }

    /// The bodies, with the window of their making and zeros for the names.
    package let bodies: [[UInt8]]
    package let events: Int
    package let purpose: Purpose
    private let slots: Set<Slot>
    private let windowOffset: Int
    private let windowDigits: Int
    private let batchOffset: Int
    /// Nil where the purpose has no identifiers.
    private let identifierOffset: Int?

    /// Makes the bodies.
    ///
    /// - Parameters:
    ///   - purpose: nil takes the first that a metric counts events of.
    ///   - devices: whose contexts they have, as far as the plan names the fields; without any, and for every other
    ///     field, values come from the plan's own vocabulary.
    ///   - now: events lie in the two minutes before.
    package init(
        plan: Plan, purpose name: PurposeName? = nil, devices: [SampleDevice] = [], shape: Shape, now: UnixSeconds
    ) throws {
        purpose = try Self.purpose(name, of: plan)
        events = shape.events
        slots = shape.slots
        let window = String(purpose.rotation.window(at: now).value)
        let zeros = String(repeating: "0", count: 32)
        var head = "{\"app\":\"\(plan.app.name)\",\"purpose\":\"\(purpose.name)\",\"window\":"
        windowOffset = head.utf8.count
        windowDigits = window.utf8.count
        head += "\(window),\(purpose.consentMember())\"batch\":\""
        batchOffset = head.utf8.count
        head += "\(zeros)\","
        if purpose.hasIdentifiers {
            head += "\"id\":\""
            identifierOffset = head.utf8.count
            head += "\(zeros)\","
        } else {
            identifierOffset = nil
        }
        var writer = try BodyWriter(plan: plan, purpose: purpose, devices: devices, shape: shape, now: now)
        bodies = (0..<max(1, shape.bodies)).map { _ in Array((head + writer.next()).utf8) }
    }

    /// A body under names of its own: no two numbers of one run make the same.
    package func body(_ number: UInt64, run: UInt64, window: WindowNumber? = nil) -> [UInt8] {
        var body = bodies[Int(number % UInt64(bodies.count))]
        body.withUnsafeMutableBytes { name($0, number: number, run: run, window: window) }
        return body
    }

    /// Writes names over those of a copy of one of ``bodies``; see ``body(_:run:window:)``.
    package func name(_ body: UnsafeMutableRawBufferPointer, number: UInt64, run: UInt64, window: WindowNumber? = nil) {
        Self.write(run, to: body, at: batchOffset)
        Self.write(number, to: body, at: batchOffset + 16)
        if let identifierOffset {
            Self.write(number, to: body, at: identifierOffset + 16)
            var half = run ^ 0x6964_656e_7469_6679
            repeat {
                Self.write(half, to: body, at: identifierOffset)
                half &+= 1
            } while !slots.isEmpty && !slots.contains(Slot(of: body[identifierOffset..<identifierOffset + 32]))
        }
        if let window { write(window, to: body) }
    }

    private static func write(_ word: UInt64, to body: UnsafeMutableRawBufferPointer, at offset: Int) {
        var rest = word
        for place in stride(from: offset + 15, through: offset, by: -1) {
            let digit = UInt8(truncatingIfNeeded: rest & 15)
            body[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            rest >>= 4
        }
    }

    /// A window's number has as many digits as that of a minute ago, but for once in centuries.
    private func write(_ window: WindowNumber, to body: UnsafeMutableRawBufferPointer) {
        var rest = window.value
        for place in stride(from: windowOffset + windowDigits - 1, through: windowOffset, by: -1) {
            body[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    private static func purpose(_ name: PurposeName?, of plan: Plan) throws(LoadError) -> Purpose {
        let counted = plan.purposes.first { !plan.events(of: $0.name).isEmpty }
        guard let name else {
            guard let counted else { throw .nothingCounted(purpose: plan.purposes.first?.name.text ?? "") }
            return counted
        }
        guard let purpose = plan.purpose(name) else {
            throw .unknownPurpose(found: name.text, known: plan.purposes.map(\.name.text))
        }
        guard !plan.events(of: name).isEmpty else { throw .nothingCounted(purpose: name.text) }
        return purpose
    }
}

/// The values that a plan's own words allow for each field: buckets' labels, which land in their buckets, and numbers
/// within a sum's bounds.
struct Vocabulary {
    private var values: [FieldName: Values] = [:]

    private enum Values {
        case labels([String])
        case numbers(SumMeasure)
    }

    init(plan: Plan, purpose: PurposeName) throws {
        for metric in plan.metrics where metric.purpose == purpose {
            for dimension in plan.cubeDimensions(of: metric) where dimension.field != .time && dimension.field != .event
            {
                if dimension.isRevealed {
                    values[dimension.field] = .labels(Crowd.hashes.map { "\"\($0)\"" })
                    continue
                }
                let labels = try dimension.rule.compiled(rules: .system).labels.map(\.text.quotedJSON)
                // A finer dimension of the same field has more to choose from.
                if case .labels(let known)? = values[dimension.field], known.count >= labels.count { continue }
                values[dimension.field] = .labels(labels)
            }
            // A sum needs a number, whatever else its field is used for.
            for sum in metric.sums { values[sum.field] = .numbers(sum) }
        }
    }

    func isNumber(_ field: FieldName) -> Bool { if case .numbers? = values[field] { true } else { false } }

    func json(_ field: FieldName, using random: inout SeededGenerator) -> String? {
        switch values[field] {
        case .labels(let labels): labels.randomElement(using: &random)
        case .numbers(let sum): "\(Int64((sum.lowest + random.fraction() * (sum.highest - sum.lowest)).rounded(.down)))"
        case nil: nil
        }
    }
}

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
        times = (60..<Int64(120)).map { Instant.text(now - $0) }
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
                } else { vocabulary.json(field, using: &random) }
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

/// The reason why a load can't be made or sent.
package enum LoadError: Error, Equatable, CustomStringConvertible {
    case unknownPurpose(found: String, known: [String])
    case nothingCounted(purpose: String)
    case noServer(host: String, port: Int, reason: String)

    package var description: String {
        switch self {
        case .unknownPurpose(let found, let known):
            "The plan has no purpose '\(found)'; it has \(known.joined(separator: ", "))."
        case .nothingCounted(let purpose):
            "No metric of the plan counts events of the purpose '\(purpose)', so there is nothing to send. "
                + "Add a metric, or name another purpose."
        case .noServer(let host, let port, let reason):
            "Nothing answers at \(host):\(port) (\(reason)). Start throng serve, or name another address with --to."
        }
    }
}
