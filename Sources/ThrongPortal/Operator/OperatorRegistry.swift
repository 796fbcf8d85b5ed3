internal import ThrongStore

/// Which plans are in force, and by which daemons count, for the operator's page.
struct OperatorRegistry {
    /// By app.
    var inForce: [RegisteredPlan] = []
    /// By daemon and app.
    var members: [MemberPlan] = []

    /// The plans of daemons that count by another one than the one in force.
    ///
    /// - Parameter enrolled: the daemons that ever attached. One that has stopped counts by nothing.
    func behind(among enrolled: [EnrolledMember]) -> [MemberPlan] {
        enrolled.flatMap { member in
            member.retiredAt == nil ? inForce.behind(members, of: member.daemon).filter { !$0.hasStopped } : []
        }
    }
}
