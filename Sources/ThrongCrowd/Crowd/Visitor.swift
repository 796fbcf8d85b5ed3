package import ThrongPlan

/// One of a crowd: a device, and what its owner does on a day.
package struct Visitor: Sendable {
    private let kind: Kind

    private enum Kind: Sendable {
        /// A device of the sample, the shopper who holds it, and what decides what orders come to.
        case shopper(SampleDevice, Crowd.Shopper, amountSeed: UInt64)
        /// A device of a crowd that is made up from a plan.
        case guest(MadeCrowd.MadeDevice, of: MadeCrowd)
    }

    /// The signals of a device, and the time for which it waits to send.
    struct Manners: Sendable {
        var signals: Set<OptOutSignal> = []
        /// True if it agreed to the version before the plan's.
        var isOutdated = false
        /// The time for which its events wait. Unit: seconds.
        var delay: Int64 = 0
    }

    init(_ device: SampleDevice, _ shopper: Crowd.Shopper, amountSeed: UInt64) {
        kind = .shopper(device, shopper, amountSeed: amountSeed)
    }

    init(_ guest: MadeCrowd.MadeDevice, of crowd: MadeCrowd) { kind = .guest(guest, of: crowd) }

    /// The names that a shopper may have fields by, as the sample's plans use them.
    private static let shopperFields = SampleDevice.fieldNames + ["channel", "lifecycle"]

    /// The names of the fields that it says of itself.
    var fieldNames: [String] {
        switch kind {
        case .shopper: Self.shopperFields
        case .guest(let guest, _): guest.values.keys.map(\.text)
        }
    }

    /// The fields of a batch's context about it: names, and values as JSON.
    package var fields: [(name: String, json: String)] {
        switch kind {
        case .shopper(let device, let shopper, _):
            device.fields + [("channel", shopper.channel.quotedJSON), ("lifecycle", shopper.lifecycle.quotedJSON)]
        case .guest(let guest, _): guest.fields
        }
    }

    var manners: Manners {
        switch kind {
        case .shopper: Manners()
        case .guest(let guest, _): guest.manners
        }
    }

    func agrees(to purpose: Purpose) -> Bool {
        guard purpose.needsConsent, case .guest(let guest, let crowd) = kind else { return true }
        return crowd.agrees(guest, to: purpose.name)
    }

    /// Its visits on a day, each with its steps in their order.
    var visits: [[Crowd.Step]] {
        switch kind {
        case .shopper(_, let shopper, let seed): shopper.visits(amountSeed: seed)
        case .guest(let guest, let crowd): crowd.visits(of: guest)
        }
    }

    /// The bucket that a field is in; that of a missing value for a field that visitors don't have.
    package func bucket(of field: FieldName, by bucketing: any Bucketing) -> Int {
        switch kind {
        case .guest(let guest, _): (guest.values[field] ?? .missing).bucket(by: bucketing)
        case .shopper(let device, let shopper, _):
            switch field {
            case "channel": MadeValue.text(shopper.channel).bucket(by: bucketing)
            case "lifecycle": MadeValue.text(shopper.lifecycle).bucket(by: bucketing)
            default: device.bucket(of: field, by: bucketing)
            }
        }
    }

    func context(allowed: Set<String>) -> String {
        fields.filter { allowed.contains($0.name) }.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ",")
    }
}

/// Events of one device on their way into batches: one batch or more for each identifier.
struct Drafts {
    private var places: [Int64: Int] = [:]
    private(set) var all: [(events: [String], sent: UnixSeconds)] = []

    mutating func add(_ event: String, to key: Int64, sent: UnixSeconds) {
        let place = places[key] ?? all.count
        if place == all.count {
            places[key] = place
            all.append(([], sent))
        }
        all[place].events.append(event)
        all[place].sent = max(all[place].sent, sent)
    }
}
