import ThrongPlan
import ThrongStore
package import ThrongSystem

/// Runs histories.
package struct Simulator: Sendable {
    private let plan: Plan
    private let layouts: [MetricLayout]
    private let labels: LabelStore

    /// What came of a history.
    package struct Outcome: Sendable {
        /// The broken promise; nil where none was.
        package let violation: Violation?
        /// Tells whether two histories were the same.
        package let digest: UInt64
        /// Batches that were acknowledged.
        package let acknowledged: Int
        /// Starts that went on from a checkpoint.
        package let restored: Int
        /// What happened, where it was asked for.
        package let lines: [String]
    }

    /// Does something while promises are broken: where numbers may run out, there are few of them.
    package static func breaking<Value>(_ faults: Set<Fault>, _ body: () -> Value) -> Value {
        #if DEBUG
            Fault.with(faults) { Fault.$bits.withValue(5, operation: body) }
        #else
            body()
        #endif
    }

    /// Reads the plan.
    package init() throws {
        plan = try Town.plan.get()
        layouts = try Town.layouts(plan)
        // No plan here has labels to learn: nothing is asked of it.
        labels = LabelStore(ConnectionSettings(connectionString: "host=/nowhere"))
    }

    /// Performs a history.
    package func run(_ actions: [Action], isTraced: Bool = false) -> Outcome {
        let isShared = actions.contains { $0.kind == .others || $0.kind == .alone }
        let world = World(plan: plan, layouts: layouts, labels: labels, isShared: isShared, isTraced: isTraced)
        for (place, action) in actions.enumerated() {
            world.perform(action)
            if place % 50 == 49 { world.checkNow() }
            if world.violation != nil { break }
        }
        if world.violation == nil { world.settle() }
        return Outcome(
            violation: world.violation, digest: world.trace.digest, acknowledged: world.oracle.acknowledged,
            restored: world.restored, lines: world.trace.lines)
    }

    /// Performs a seed's history.
    package func run(_ seed: Seed, isTraced: Bool = false) -> Outcome { run(seed.actions, isTraced: isTraced) }

    /// The shortest history found that breaks the same promise: runs of steps are left out, ever shorter ones.
    package func shrink(_ actions: [Action], _ promise: Violation.Promise) -> [Action] {
        var actions = actions
        var size = max(1, actions.count / 2)
        while size >= 1 {
            var start = 0
            while start < actions.count {
                var shorter = actions
                shorter.removeSubrange(start..<min(start + size, shorter.count))
                if run(shorter).violation?.promise == promise { actions = shorter } else { start += size }
            }
            size /= 2
        }
        return actions
    }
}
