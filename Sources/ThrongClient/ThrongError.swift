/// Why a ``Throng`` could not be started. Nothing else of the library throws.
public enum ThrongError: Error, Sendable, Hashable {
    /// The plan's address does not end with `/v1/plan/APP`.
    case planAddress
    /// There is no plan: none is stored or bundled, and the daemon could not be asked.
    case noPlan(String)
    /// The plan can't be followed on this device.
    case plan(String)
    /// The storage can't be used.
    case storage(String)
}

extension ThrongError: CustomStringConvertible {
    /// What was found and what to do.
    public var description: String {
        switch self {
        case .planAddress: "The plan's address must be an http or https URL that ends with /v1/plan/APP."
        case .noPlan(let reason): "There is no plan yet: \(reason) Bundle one with the app, or start again later."
        case .plan(let reason): "The plan can't be followed: \(reason)"
        case .storage(let reason): reason
        }
    }
}
