import Crypto
import Foundation

extension Plan {
    /// Reads a plan strictly: anything unknown is an error, and the errors of all lines are reported at once.
    ///
    /// - Parameters:
    ///   - yaml: the plan's text, at most a mebibyte; `Schema/plan.schema.json` describes it.
    ///   - file: the file's name in problems.
    ///   - today: the date that expiry dates are measured against: a metric may run at most a year ahead. One that has
    ///     expired is no error: it stops counting, and ``lint(today:)`` says so.
    /// - Throws: every problem with its line and column, in the order of the lines.
    package init(yaml: String, file: String, today: CalendarDate = .today) throws(PlanProblems) {
        var reader = PlanReader(file: file, today: today)
        var text = YAMLText(yaml)
        let version = PlanVersion(hex: SHA256.hash(data: Data(yaml.utf8)).lowerHex)
        let root = text.compose(&reader.problems)
        // A tree with holes would only show the same problems again, as missing keys and unknown names.
        guard let root, reader.problems.all.isEmpty, let plan = reader.plan(from: root, version: version) else {
            throw PlanProblems(reader.problems.sorted)
        }
        self = plan
        self.text = yaml
    }

    /// Reads a plan from the bytes of a file, which must be UTF-8; see ``init(yaml:file:today:)``.
    package init(bytes: some Collection<UInt8>, file: String, today: CalendarDate = .today) throws(PlanProblems) {
        guard let yaml = String(validating: bytes, as: UTF8.self) else {
            let before = String(decoding: bytes, as: UTF8.self).prefix { $0 != "\u{FFFD}" }
            let line = before.count(where: \.isNewline) + 1
            throw PlanProblems([
                PlanProblem(
                    file: file, line: line, column: 1, message: "this line is not UTF-8; save the file as UTF-8")
            ])
        }
        try self.init(yaml: yaml, file: file, today: today)
    }
}

extension CalendarDate {
    /// The date in UTC by this machine's clock.
    package static var today: CalendarDate {
        PeriodCalendar.utc.date(at: UnixSeconds(Int64(Date().timeIntervalSince1970.rounded(.down))))
    }
}

/// The JSON Schema of plans, by which editors complete them and from which the reader has its keys.
package enum PlanSchema {
    package static let fileName = "plan.schema.json"
    package static var bytes: [UInt8] { PackageResources.PlanKeys_schema_json }
}
