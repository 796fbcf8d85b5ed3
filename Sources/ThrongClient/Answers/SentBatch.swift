/// A batch as it left the device, for people to look at.
public struct SentBatch: Sendable, Hashable, Codable, Identifiable {
    /// The batch's random name.
    public let id: String
    /// The purpose's name.
    public let purpose: String
    /// What the numbers are for, in the person's language where the app translates it.
    public let explanation: String
    /// When it was sent first. Unit: Unix seconds.
    public let unixSeconds: Int64
    /// The body of the request, byte for byte, before it was packed.
    public let body: String
    /// What became of it.
    public internal(set) var outcome: Outcome

    /// What became of a batch.
    public enum Outcome: Sendable, Hashable, Codable {
        /// No answer yet. It may have arrived.
        case unanswered
        /// It was counted, but for the refused events: by their place in the batch, why.
        case counted(events: Int, refused: [Int: String])
        /// It was refused as a whole: the HTTP status and the daemon's word for the reason.
        case rejected(status: Int, error: String)
    }
}
