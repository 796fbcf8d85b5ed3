import ThrongAudit
import ThrongPlan

/// A version of a plan, as `--plan FILE` or `--plan FILE@TIME` names it.
struct PlanInForce {
    /// What the file says.
    let plan: Plan
    /// From when on it was in force; nil is from the beginning.
    let since: UnixSeconds?

    /// Reads the file.
    init(_ argument: String) throws {
        if let place = argument.lastIndex(of: "@"),
            let since = AuditPeriod.instant(String(argument[argument.index(after: place)...]))
        {
            self.since = since
            plan = try PlanFiles.read(String(argument[..<place]))
        } else {
            since = nil
            plan = try PlanFiles.read(argument)
        }
    }
}
