/// A device's request to take back what one of its identifiers added: the body of `POST /v1/withdraw`.
public struct WithdrawRequest: Sendable, Hashable, Codable {
    /// The app's name in its plan.
    public let app: String
    /// The purpose's name in the plan.
    public let purpose: String
    /// The window in which the identifier was sent.
    public let window: Int64
    /// The identifier.
    public let id: String

    /// Creates a request with the app, the purpose, the window and the identifier.
    public init(app: String, purpose: String, window: Int64, id: String) {
        (self.app, self.purpose, self.window, self.id) = (app, purpose, window, id)
    }
}
