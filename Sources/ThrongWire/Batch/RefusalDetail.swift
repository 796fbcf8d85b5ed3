/// Where in a batch the reason for a refusal is, in places and in the plan's own words: nothing that a client sent.
public struct RefusalDetail: Sendable, Hashable, Codable {
    /// A JSON pointer (RFC 6901) to an event's name, its `firsts`, or the object that holds its fields.
    public let pointer: String
    /// Which of that object's members it is, from 0 in the order of the text; nil where it is none.
    public let member: Int?
    /// The field, where the plan knows it.
    public let field: String?
    /// The name of the plan that was likely meant.
    public let nearest: String?

    /// Puts a detail together.
    public init(pointer: String, member: Int? = nil, field: String? = nil, nearest: String? = nil) {
        self.pointer = pointer
        self.member = member
        self.field = field
        self.nearest = nearest
    }
}
