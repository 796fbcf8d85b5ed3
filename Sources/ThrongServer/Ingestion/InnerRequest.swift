internal import NIOHTTP1
internal import ThrongWire

/// The target of a sealed request: only the routes that clients need.
enum InnerRequest {
    case batch
    case passed
    case unknown

    init(_ request: BinaryRequest) {
        let path = request.path.utf8.prefix { $0 != UInt8(ascii: "?") }
        switch (request.method, String(Substring(path))) {
        case ("POST", "/v1/batches"): self = .batch
        case ("POST", "/v1/reveals"), ("POST", "/v1/withdraw"), ("POST", "/v1/preview"), ("POST", "/v1/credentials"),
            ("POST", "/v1/firsts"):
            self = .passed
        case ("GET", let path) where path.hasPrefix("/v1/plan/") && path.utf8.count > 9: self = .passed
        case ("GET", let path) where path.hasPrefix("/v1/credentials/") && path.utf8.count > 16: self = .passed
        default: self = .unknown
        }
    }

    /// The fields that routes use. Others are not passed on, nor are any of the outer request.
    private static let known: Set = [
        "accept-language", "authorization", "content-encoding", "content-type", "dnt", "sec-gpc",
    ]

    static func headers(of request: BinaryRequest) -> HTTPHeaders {
        HTTPHeaders(request.fields.filter { known.contains($0.name) }.map { ($0.name, $0.value) })
    }

    static func head(of request: BinaryRequest) -> HTTPRequestHead {
        var headers = headers(of: request)
        headers.add(name: "host", value: "sealed")
        headers.add(name: SealedMark.name, value: SealedMark.value)
        headers.add(name: "content-length", value: "\(request.content.count)")
        return HTTPRequestHead(
            version: .http1_1, method: .init(rawValue: request.method), uri: request.path, headers: headers)
    }
}
