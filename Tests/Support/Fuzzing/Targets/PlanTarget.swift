import ThrongPlan

/// A plan's file. What is refused has problems with places in it; what is not can be compiled, linted and published.
struct PlanTarget: FuzzTarget {
    private static let today = CalendarDate(daysSince1970: 20_777)

    func read(_ bytes: [UInt8]) throws(FuzzFinding) {
        let plan: Plan
        do throws(PlanProblems) {
            plan = try Plan(bytes: bytes, file: "plan.yaml", today: Self.today)
        } catch {
            try FuzzFinding.check(!error.all.isEmpty, .mismatch(what: "a refusal without a problem"))
            // What could not be decoded has its own lines.
            let lines = bytes.count + 2
            for problem in error.all {
                try FuzzFinding.check(
                    (1...lines).contains(problem.line ?? 1), .mismatch(what: "a problem and its line"))
            }
            return
        }
        _ = plan.lint(today: Self.today)
        let same = { () -> Bool in
            // The same bytes were a plan a moment ago.
            do throws(PlanProblems) {
                return try Plan(bytes: bytes, file: "plan.yaml", today: Self.today).version == plan.version
            } catch { return false }
        }()
        try FuzzFinding.check(same, .twoReadings(what: "a plan"))
    }
}
