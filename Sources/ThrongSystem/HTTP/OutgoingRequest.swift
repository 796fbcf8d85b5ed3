/// A request of HTTP/1.1 that we make.
package struct OutgoingRequest: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case options = "OPTIONS"
    }

    package var method: Method
    /// `http` or `https`, as far as the connection's rules allow.
    package var url: String
    /// Sent in this order, and nothing beside them but Host and Content-Length.
    package var headers: [(name: String, value: String)]
    /// Nothing with GET.
    package var body: [UInt8]

    package init(
        _ method: Method = .get, _ url: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// The first header that can't be sent as it is: its bytes would begin another line, or its name is none.
    var malformedHeader: String? {
        headers.first { name, value in
            name.isEmpty || !name.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: ":") }
                || value.utf8.contains { $0 < 0x20 && $0 != UInt8(ascii: "\t") || $0 == 0x7F }
        }?.name
    }
}
