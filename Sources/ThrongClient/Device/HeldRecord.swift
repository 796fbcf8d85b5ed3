/// What was recorded while no plan could say what becomes of it: in memory only, since its values are raw.
struct HeldRecord: Sendable {
    let record: Inbox.Record
    /// What was allowed at that moment, less what was refused since.
    var permissions: Permissions
    let context: [String: EventValue]
}
