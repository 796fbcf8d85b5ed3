/// The reason why a form of the portal was refused.
package enum SignInRefusal: Sendable {
    /// Its token is not known, has expired or was taken back.
    case token
    /// Too many came that had no good one.
    case pace
    /// A page of another site sent it.
    case foreignForm
}
