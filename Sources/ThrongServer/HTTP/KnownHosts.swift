internal import Foundation
internal import HTTPTypes
internal import Hummingbird

/// Refuses requests for other names than this machine's: a page whose name leads here reads nothing (DNS rebinding).
///
/// Addresses are allowed, as they are no names. So are names without a dot and under `localhost`, which nobody can own.
struct KnownHosts: RouterMiddleware {
    private let names: Set<String>

    /// - Parameter names: the names that requests may use for this machine, beside its own host name.
    init(_ names: [String]) {
        self.names = Set((names + [ProcessInfo.processInfo.hostName]).map { $0.lowercased() })
    }

    func handle(_ request: Request, context: BasicRequestContext, next: NextResponder) async throws -> Response {
        // A request without an authority is of a client of HTTP/1.0, which is no browser.
        guard request.head.authority.map({ isKnown($0) }) ?? true else {
            return .problem(
                Problem(
                    .misdirectedRequest, "unknown_host",
                    "Nothing is served here by the Host that was asked for. Ask by an address, or list the name in metrics-hosts."
                ))
        }
        return try await next(request, context)
    }

    /// Returns true if a request's host, with a port or without, is allowed.
    func isKnown(_ authority: String) -> Bool {
        if authority.hasPrefix("[") { return true }
        var host = authority.prefix { $0 != ":" }.lowercased()
        if host.hasSuffix(".") { host.removeLast() }
        guard ClientAddress(host) == nil, !names.contains(host) else { return true }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        return labels.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(Self.isInLabel) }
            && (labels.count == 1 || labels.last == "localhost")
    }

    private static func isInLabel(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
