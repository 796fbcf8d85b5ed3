extension FieldName {
    /// The event's own time, which every event has.
    public static let time: FieldName = "at"

    /// The event's own name, which every event has: a dimension over it splits a metric that counts several events.
    public static let event: FieldName = "event"
}
