package struct ReceivedAnswer: Sendable {
    /// 200 to 599, where the server keeps to HTTP.
    package internal(set) var status: Int
    /// The headers, in the order in which they came; names in lower case.
    package internal(set) var headers: [(name: String, value: String)]
    /// Empty where only the head was asked for.
    package internal(set) var body: [UInt8]

    /// The value of the first header of a name, which is in lower case.
    package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}
