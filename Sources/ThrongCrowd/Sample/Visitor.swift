package import ThrongPlan

/// One of a crowd: a device, and the shopper who holds it.
package struct Visitor: Sendable {
    /// The device, as its browser describes itself.
    package let device: SampleDevice
    let shopper: Crowd.Shopper
    /// Decides what orders come to.
    let amountSeed: UInt64

    /// The names that a visitor may have fields by, as the sample's plans use them.
    package static let fieldNames = SampleDevice.fieldNames + ["channel", "lifecycle"]

    /// The fields of a batch's context about it: names, and values as JSON.
    package var fields: [(name: String, json: String)] {
        device.fields + [("channel", shopper.channel.quotedJSON), ("lifecycle", shopper.lifecycle.quotedJSON)]
    }

    /// The bucket that a field is in; that of a missing value for a field that visitors don't have.
    package func bucket(of field: FieldName, by bucketing: any Bucketing) -> Int {
        func bucket(_ text: String) -> Int {
            var text = text
            return text.withUTF8 { bucketing.bucket(.text(FieldText($0))) }
        }
        return switch field {
        case "channel": bucket(shopper.channel)
        case "lifecycle": bucket(shopper.lifecycle)
        default: device.bucket(of: field, by: bucketing)
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

    /// - Parameters:
    ///   - key: tells identifiers apart.
    ///   - sent: when the event could be posted at the earliest.
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
