import Foundation

/// The 20,000 real devices that the project ships; see `Deploy/sample`.
enum DeviceSample {
    /// One device; nil for what its browser did not report.
    struct Device: Decodable {
        let user_agent: String
        let screen_width: Int
        let screen_height: Int
        let device_memory_gb: Double?
        let hardware_concurrency: Int?

        var screen: String { "\(screen_width)x\(screen_height)" }
    }

    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Deploy/sample/devices.ndjson.gz").standardized

    /// The file's lines, unpacked.
    static func lines() throws -> [Data] {
        let gzip = Process()
        gzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        gzip.arguments = ["gzip", "-dc", file.path]
        let output = Pipe()
        gzip.standardOutput = output
        try gzip.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        gzip.waitUntilExit()
        return bytes.split(separator: UInt8(ascii: "\n")).map { Data($0) }
    }

    /// Every device.
    static func devices() throws -> [Device] {
        let decoder = JSONDecoder()
        return try lines().map { try decoder.decode(Device.self, from: $0) }
    }

    /// Every user agent once.
    static func userAgents() throws -> [String] { Set(try devices().map(\.user_agent)).sorted() }
}
