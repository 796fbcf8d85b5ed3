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
            do {
                return try SampleDevice(line: line)
            } catch {
                throw LoadError.malformed(file: file, line: place + 1)
            }
        }
    }

    static func lines(of file: String) throws -> [String] {
        guard let packed = FileManager.default.contents(atPath: file) else { throw LoadError.unreadable(file: file) }
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
        var fields: [(name: String, json: String)] = []
        if let userAgent { fields.append(("user_agent", userAgent.quotedJSON)) }
        if let screen { fields.append(("screen", screen.quotedJSON)) }
        if let memory { fields.append(("memory_gb", "\(memory)")) }
        if let cores { fields.append(("cores", "\(cores)")) }
        return fields
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
