internal import Foundation
internal import ThrongIngest
package import ThrongPlan

/// One browser as it described itself, from the sample's `devices.ndjson.gz`.
package struct SampleDevice: Sendable {
    package let userAgent: String?
    /// Width and height, such as "390x844". Unit: CSS pixels.
    package let screen: String?
    /// Unit: GiB.
    package let memory: Double?
    /// Logical processors.
    package let cores: Int64?

    private struct Line: Decodable {
        let user_agent: String?
        let screen_width: Int?
        let screen_height: Int?
        let device_memory_gb: Double?
        let hardware_concurrency: Int64?
    }

    package init(line: some StringProtocol) throws {
        let line = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
        userAgent = line.user_agent
        if let width = line.screen_width, let height = line.screen_height {
            screen = "\(width)x\(height)"
        } else {
            screen = nil
        }
        memory = line.device_memory_gb
        cores = line.hardware_concurrency
    }

    package static func all(in file: String) throws -> [SampleDevice] {
        try lines(of: file).enumerated().map { place, line in
            do { return try SampleDevice(line: line) } catch { throw CrowdError.malformed(file: file, line: place + 1) }
        }
    }

    static func lines(of file: String) throws -> [String] {
        guard let packed = FileManager.default.contents(atPath: file) else { throw CrowdError.unreadable(file: file) }
        let bytes = try packed.withUnsafeBytes { buffer in
            try Gzip.unpacked(buffer.bindMemory(to: UInt8.self), limit: 256 << 20)
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    package static let fieldNames = ["user_agent", "screen", "memory_gb", "cores"]

    /// The value of a field; missing for one that devices of the sample don't have.
    func value(of field: FieldName) -> MadeValue {
        switch field {
        case "user_agent": userAgent.map { .text($0) } ?? .missing
        case "screen": screen.map { .text($0) } ?? .missing
        case "memory_gb": memory.map { .number($0) } ?? .missing
        case "cores": cores.map { .number(Double($0)) } ?? .missing
        default: .missing
        }
    }

    /// The bucket that a field is in; that of a missing value for a field that devices of the sample don't have.
    package func bucket(of field: FieldName, by bucketing: any Bucketing) -> Int {
        value(of: field).bucket(by: bucketing)
    }

    /// The fields that a client would send of it: by the names that the sample's plans use, with their values as JSON.
    package var fields: [(name: String, json: String)] {
        Self.fieldNames.compactMap { name in value(of: FieldName(name)).json.map { (name, $0) } }
    }
}

extension String {
    /// A JSON string; control characters, which have no business in a header, become spaces.
    package var quotedJSON: String {
        var result = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\u{0}"..<"\u{20}": result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

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
