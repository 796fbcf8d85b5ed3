import ThrongJournal
import ThrongPlan
import ThrongReport
import ThrongSchedule
import ThrongStore
import ThrongSystem

/// The versions that `throng --version` prints: the program's, and those of every format that it reads or writes.
enum Versions {
    /// The program's own, by Semantic Versioning; CHANGELOG.md says what each one brought.
    static let throng = "0.1.0"

    /// The version of the compiler that built it, as far as a program can ask for that.
    static var swift: String {
        #if compiler(>=6.5)
            "6.5 or later"
        #elseif compiler(>=6.4)
            "6.4"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }

    static var formats: [(name: String, version: String)] {
        [
            ("plan", "\(Plan.format)"), ("wire", "v\(Batch.protocolVersion)"), ("journal", Journal.format),
            ("database", "schema \(Migration.all.last?.version ?? 0)"), ("report", ReportDocument.jsonFormat),
            ("manifest", ReportManifest.format), ("proof", RetentionProof.format), ("backup", BackupList.version),
            ("built with", "Swift \(swift)"),
        ]
    }

    /// The program's version on a line of its own, then a line for each format.
    static var text: String {
        let lines = formats.map { name, version in name.padded(to: 12) + version }
        return (["throng \(throng)"] + lines).joined(separator: "\n")
    }
}

extension String {
    /// The text with spaces behind it, so that columns line up.
    func padded(to length: Int) -> String { self + String(repeating: " ", count: Swift.max(0, length - count)) }
}

extension Terminal {
    /// 2026-11-20T06:00:00Z.
    static func instant(_ time: UnixSeconds) -> String { Instant.text(time) }
}
