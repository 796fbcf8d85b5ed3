/// Why a ``Throng`` could not be started, has no plan, or could not keep what a person said.
public enum ThrongError: Error, Sendable, Hashable {
    /// The plan's address does not end with `/v1/plan/APP`.
    case planAddress
    /// There is no plan: none is stored or bundled, and why the daemon gave none.
    case noPlan(String)
    /// The plan can't be followed on this device.
    case plan(String)
    /// The storage can't be used, or could not keep something.
    case storage(String)
}

extension ThrongError: CustomStringConvertible {
    /// What was found and what to do.
    public var description: String {
        switch self {
        case .planAddress: "The plan's address must be an http or https URL that ends with /v1/plan/APP."
        case .noPlan(let reason): "The daemon gave no plan: \(reason) It is asked again; an app may bundle one."
        case .plan(let reason): "The plan can't be followed: \(reason)"
        case .storage(let reason): reason
        }
    }
}
