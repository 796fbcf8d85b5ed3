extension FieldName {
    /// The event's own name, which every event has: a dimension over it splits a metric that counts several events.
    public static let event: FieldName = "event"
}
