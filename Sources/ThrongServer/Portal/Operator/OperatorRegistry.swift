internal import ThrongStore

/// The plans in force, and the plans by which daemons count, for the operator's page.
struct OperatorRegistry {
    /// The plans in force, by app.
    var inForce: [RegisteredPlan] = []
    /// The plans by which daemons count, by daemon and app.
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
