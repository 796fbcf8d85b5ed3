import Foundation
import Testing
import ThrongCrowd
import ThrongIngest
import ThrongSystem

/// A crowd's two files, of which others can be made.
struct CrowdFolder {
    /// One object a line.
    var devices: [String]
    /// The line of columns, then one event a line.
    var events: [String]

    /// The sample that the project ships.
    static func sample() throws -> CrowdFolder {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Deploy/sample").standardized
        func lines(_ name: String) throws -> [String] {
            let packed = try Data(contentsOf: folder.appending(path: name))
            let bytes = try packed.withUnsafeBytes {
                try Gzip.unpacked($0.bindMemory(to: UInt8.self), limit: 64 << 20)
            }
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        }
        return CrowdFolder(devices: try lines("devices.ndjson.gz"), events: try lines("shop.csv.gz"))
    }

    /// Every second device, and the others; all shoppers.
    var halves: (CrowdFolder, CrowdFolder) {
        func half(_ parity: Int) -> CrowdFolder {
            CrowdFolder(
                devices: devices.enumerated().filter { $0.offset % 2 == parity }.map(\.element), events: events)
        }
        return (half(0), half(1))
    }

    /// Every second device, and every second thing that shoppers did.
    var thinned: CrowdFolder {
        func odd(_ lines: some Sequence<String>) -> [String] {
            lines.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        }
        return CrowdFolder(devices: odd(devices), events: events.prefix(1) + odd(events))
    }

    /// Reads it back as a command does.
    func crowd() throws -> Crowd {
        let folder = FileManager.default.temporaryDirectory.appending(path: "throng-crowd-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try write(to: folder)
        return try Crowd(folder: folder.path)
    }

    func write(to folder: URL) throws {
        for (name, lines) in [("devices.ndjson.gz", devices), ("shop.csv.gz", events)] {
            let packed = try #require(Gzip.packed(Array((lines.joined(separator: "\n") + "\n").utf8)))
            try Data(packed).write(to: folder.appending(path: name))
        }
    }
}

extension CrowdFolder {
    /// Another shop: few kinds of devices with a long tail, few shoppers who come often, other channels and pages.
    static func made(seed: UInt64) -> CrowdFolder {
        var random = SeededGenerator(seed: seed)
        return CrowdFolder(
            devices: (0..<6000).map { _ in device(&random) },
            events: ["user_id,session_id,event,timestamp,platform,acquisition_channel,user_cohort,user_lifecycle"]
                + (0..<500).flatMap { shopper($0, &random) })
    }

    /// The first mostly, each further one about half as often as the one before.
    private static func tailed<Choice>(_ choices: [Choice], _ random: inout SeededGenerator) -> Choice {
        choices[min(Int(-log2(1 - random.fraction())), choices.count - 1)]
    }

    private static func device(_ random: inout SeededGenerator) -> String {
        let safari = "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4"
        let chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0"
        let kinds: [(agent: String, screens: [(Int, Int)], memories: [String])] = [
            (
                "Mozilla/5.0 (Linux; Android 14; Pixel 8) \(chrome) Mobile Safari/537.36",
                [(412, 915), (360, 800), (393, 852), (768, 1024)], ["8", "4", "2", "null"]
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) \(safari) Mobile/15E148 Safari/604.1",
                [(390, 844), (375, 812), (430, 932)], ["null"]
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(chrome) Safari/537.36",
                [(1920, 1080), (1536, 864), (1366, 768), (2560, 1440)], ["8", "16", "4"]
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) \(safari) Safari/605.1.15",
                [(1440, 900), (1512, 982)], ["null"]
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(chrome) Safari/537.36 Edg/124.0.0.0",
                [(1920, 1080), (1280, 720)], ["8", "4"]
            ),
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0", [(1920, 1200), (3840, 2160)],
                ["null"]
            ),
            ("Mozilla/5.0 (iPad; CPU OS 17_4 like Mac OS X) \(safari) Safari/604.1", [(820, 1180)], ["null"]),
            ("Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) \(chrome) Safari/537.36", [(1366, 768)], ["4", "2"]),
        ]
        let kind = tailed(kinds, &random)
        let (width, height) = tailed(kind.screens, &random)
        return """
            {"user_agent": "\(kind.agent)", "screen_width": \(width), "screen_height": \(height), \
            "device_memory_gb": \(tailed(kind.memories, &random)), "hardware_concurrency": 8}
            """
    }

    private static func shopper(_ number: Int, _ random: inout SeededGenerator) -> [String] {
        let channel = tailed(["social", "organic", "direct", "email", "paid_search", "referral"], &random)
        let lifecycle = tailed(["returning", "new", "loyal"], &random)
        let pages = [
            "home", "product_view", "catalog", "search", "add_to_cart", "cart", "shipping_details", "purchase",
            "promo_page", "error_page", "compare", "support_chat",
        ]
        // A tenth of the shoppers make most of the sessions.
        let sessions = min(Int(1 / (1 - random.fraction())), 12)
        return (0..<sessions).flatMap { session in
            let hour = (9 + Int(14 * random.fraction())) % 24
            return (0..<(2 + Int(4 / (1 - 0.9 * random.fraction())))).map { step in
                let minute = min(step, 59)
                return "u\(number),u\(number)-\(session),\(tailed(pages, &random)),"
                    + "2024-03-\(10 + session) \(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute):00,"
                    + "web,\(channel),c,\(lifecycle)"
            }
        }
    }
}
