internal import ThrongWire

/// A test of what a client keeps of the wire protocol, by scenarios.
package enum Conformance {
    /// A requirement, and what of it was not kept; nothing if all was.
    package struct Verdict: Sendable {
        package let requirement: Requirement
        /// The words for what was not kept, in the order in which it was seen, each once.
        package let broken: [String]
    }

    /// 2026-11-23 12:00 UTC, in the middle of a window of each purpose.
    private static let start = UnixSeconds(1_795_435_800)

    /// Lets a program drive the client through all scenarios.
    ///
    /// - Parameters:
    ///   - command: the program and its arguments.
    ///   - progress: called with the number of each scenario that is over, and how many there are.
    /// - Returns: one verdict a requirement.
    /// - Throws: ``ConformanceError``.
    package static func run(_ command: [String], progress: (Int, Int) -> Void) async throws -> [Verdict] {
        var broken: [Requirement: [String]] = [:]
        for (number, scenario) in Trial.scenarios.enumerated() {
            let daemon = try TrialDaemon(now: start)
            let found = try await TrialServer.serve(daemon) { port in
                let trial = Trial(daemon, command: command, port: port, skew: scenario.skew)
                defer { trial.end() }
                try scenario.play(trial)
                return trial.broken
            }
            for (requirement, words) in found where broken[requirement]?.contains(words) != true {
                broken[requirement, default: []].append(words)
            }
            progress(number + 1, Trial.scenarios.count)
        }
        return Requirement.allCases.map { Verdict(requirement: $0, broken: broken[$0] ?? []) }
    }
}
